(* The best set of n strings. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Oracle.
(* X: a finite universe of non-root strings (say, those of length <= D). *)
Variables (R : realFieldType) (X : finType) (F : X -> R).
Implicit Types S T : {set X}.

Definition cov S : R := \sum_(u in S) F u.
(* T holds the #|T| largest flows, with threshold theta. *)
Definition top theta T :=
  (forall u, u \in T -> theta <= F u) /\ (forall u, u \notin T -> F u <= theta).

(* "Loss = missed + wasted": any threshold works, for sets of equal size. *)
Theorem missed_wasted theta S T : #|S| = #|T| ->
  cov T - cov S = \sum_(u in T :\: S) (F u - theta) + \sum_(v in S :\: T) (theta - F v).
Proof.
move=> e; rewrite !sumrB !sumr_const /cov (big_setID S) [\sum_(u in S) _](big_setID T) /=.
have ce : #|T :\: S| = #|S :\: T|.
  by apply/eqP; rewrite -(eqn_add2l #|T :&: S|) cardsID setIC cardsID e.
rewrite ce [S :&: T]setIC opprD addrACA subrr add0r.
by rewrite [X in _ = _ + X]addrC [RHS]addrACA [- _ + _]addrC [RHS]addrC [theta *+ _ - _]subrr add0r.
Qed.

(* "Both parts are non-negative", hence the n largest flows are optimal. *)
(* "... and no share is negative." *)
Theorem shares_ge0 theta S T : top theta T ->
  (forall u, u \in T :\: S -> 0 <= F u - theta) /\ (forall v, v \in S :\: T -> 0 <= theta - F v).
Proof. by case=> hi lo; split=> u; rewrite inE subr_ge0 => /andP[? ?]; [apply: hi|apply: lo]. Qed.

Theorem top_optimal theta S T : top theta T -> #|S| = #|T| -> cov S <= cov T.
Proof.
case=> hi lo e; rewrite -subr_ge0 (missed_wasted theta e).
by apply: addr_ge0; apply: sumr_ge0 => u; rewrite inE => /andP[nu uT];
  rewrite subr_ge0; [apply: hi|apply: lo].
Qed.

(* With nonnegative flow a smaller set is no better either. *)
Theorem top_optimal_le theta S T : (forall u, 0 <= F u) -> 0 <= theta ->
  top theta T -> (#|S| <= #|T|)%N -> cov S <= cov T.
Proof.
move=> F0 th [hi lo] e; rewrite /cov (big_setID T) [X in _ <= X](big_setID S) /= setIC.
rewrite ler_add2l; apply: (@le_trans _ _ (theta *+ #|S :\: T|)).
  by rewrite -sumr_const; apply: ler_sum => u; rewrite inE => /andP[nu _]; apply: lo.
apply: (@le_trans _ _ (theta *+ #|T :\: S|)).
  by apply: ler_wpmuln2l => //; rewrite -(leq_add2l #|T :&: S|) cardsID setIC cardsID.
by rewrite -sumr_const; apply: ler_sum => u; rewrite inE => /andP[_ uT]; apply: hi.
Qed.

(* Parents: None is the root (always in the tree). *)
Variables (par : X -> option X) (d : X -> nat).
Hypothesis d_par : forall c v, par c = Some v -> (d v < d c)%N.
Hypothesis F_par : forall c v, par c = Some v -> F c <= F v.
Definition closed S := forall c v, c \in S -> par c = Some v -> v \in S.

(* "Some n-set of largest flow is prefix-closed (ties to shorter strings)":
   a tree reaches the maximum over all sets of n strings.                  *)
Theorem oracle_closed n : (n <= #|X|)%N ->
  exists T, [/\ #|T| = n, closed T & forall S, #|S| = n -> cov S <= cov T].
Proof.
move=> le; have [S0 /eqP S0n] : exists S : {set X}, #|S| == n.
  exists [set x in take n (enum X)]; apply/eqP; rewrite cardsE.
  rewrite (card_uniqP (take_uniq _ (enum_uniq _))).
  by rewrite size_takel // -cardE.
case: (@Order.TotalTheory.arg_maxP _ _ _ S0 (fun S => #|S| == n) cov); first exact/eqP.
move=> S1 /eqP S1n max1.
pose P S := (#|S| == n) && (cov S1 <= cov S).
have P1 : P S1 by rewrite /P S1n eqxx lexx.
case: (@arg_minnP _ S1 P (fun S => \sum_(u in S) d u)%N P1) => T /andP[/eqP Tn covT] minT.
exists T; split=> // [c v cT cv|S Sn]; last by apply: le_trans covT; apply: max1; apply/eqP.
apply: contraT => vT; pose T' := v |: (T :\ c).
have vTc : v \notin T :\ c by rewrite inE (negbTE vT) andbF.
have PT' : P T'.
  rewrite /P cardsU1 vTc -Tn [in X in _ == X](cardsD1 c) cT eqxx /=.
  apply: le_trans covT _; rewrite /cov big_setU1 //= (big_setD1 c) //= ler_add2r.
  exact: F_par cv.
have := minT _ PT'; rewrite big_setU1 //= (big_setD1 c) //= leq_add2r.
by rewrite leqNgt (d_par cv).
Qed.

(* "Every best n-set holds the n largest flows": no outsider beats a member. *)
Theorem best_is_top T : (forall S, #|S| = #|T| -> cov S <= cov T) ->
  forall u v, u \in T -> v \notin T -> F v <= F u.
Proof.
move=> best u v uT vT; have vTu : v \notin T :\ u by rewrite inE (negbTE vT) andbF.
have /best : #|v |: (T :\ u)| = #|T| by rewrite cardsU1 vTu [in RHS](cardsD1 u) uT.
by rewrite /cov big_setU1 //= [X in _ <= X -> _](big_setD1 u) //= ler_add2r.
Qed.
End Oracle.
