(* The one-ring regret: the best n-set within the tree and its boundary. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import oracle.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Ring.
(* X, F, par and d as in oracle.v: non-root strings, None the root. *)
Variables (R : realFieldType) (X : finType) (F : X -> R).
Variables (par : X -> option X) (d : X -> nat).
Hypothesis d_par : forall c v, par c = Some v -> (d v < d c)%N.
Hypothesis F_par : forall c v, par c = Some v -> F c <= F v.
Implicit Types S T B Z : {set X}.

(* A tree S (closed) and its boundary: the strings whose parent is in S or the root. *)
Definition ring S := [set c | (c \in S) || (if par c is Some v then v \in S else true)].
(* B is a best set of n strings within Z. *)
Definition best_in Z n B := [/\ #|B| = n, B \subset Z &
  forall S, #|S| = n -> S \subset Z -> cov F S <= cov F B].
Definition best n T := best_in setT n T.

Lemma ring_sub S : S \subset ring S.
Proof. by apply/subsetP => c cS; rewrite inE cS. Qed.

Lemma ring_closed S : closed par S -> closed par (ring S).
Proof.
move=> cl c v; rewrite !inE => + e; rewrite e => /orP[cS|-> //].
by rewrite (cl c v).
Qed.

(* "The best tree within the tree and its boundary": a prefix-closed one exists. *)
Theorem best_in_closed Z n : closed par Z -> (n <= #|Z|)%N ->
  exists2 B, best_in Z n B & closed par B.
Proof.
move=> clZ le; pose Q S := (#|S| == n) && (S \subset Z).
have [S0 Q0] : exists S, Q S.
  exists [set x in take n (enum Z)]; rewrite /Q cardsE.
  rewrite (card_uniqP (take_uniq _ (enum_uniq _))) size_takel -?cardE // eqxx.
  by apply/subsetP => x; rewrite inE => /mem_take; rewrite mem_enum.
case: (@Order.TotalTheory.arg_maxP _ _ _ S0 Q (cov F) Q0) => S1 Q1 max1.
pose P S := Q S && (cov F S1 <= cov F S).
have P1 : P S1 by rewrite /P Q1 lexx.
case: (@arg_minnP _ S1 P (fun S => \sum_(u in S) d u)%N P1) => B /andP[/andP[/eqP Bn BZ] covB] minB.
exists B; first by split=> // S Sn SZ; apply: le_trans covB; apply: max1; rewrite /Q Sn eqxx.
move=> c v cB cv; apply: contraT => vB; pose B' := v |: (B :\ c).
have vBc : v \notin B :\ c by rewrite inE (negbTE vB) andbF.
have vZ : v \in Z by apply: clZ cv; apply: (subsetP BZ).
have PB' : P B'.
  rewrite /P /Q cardsU1 vBc -Bn [in X in _ == X](cardsD1 c) cB eqxx /=.
  rewrite subUset sub1set vZ (subset_trans (subD1set B c) BZ) /=.
  apply: le_trans covB _; rewrite /cov big_setU1 //= (big_setD1 c) //= ler_add2r.
  exact: F_par cv.
have := minB _ PB'; rewrite big_setU1 //= (big_setD1 c) //= leq_add2r.
by rewrite leqNgt (d_par cv).
Qed.

(* "The one-ring regret is between 0 and the loss against the best tree overall." *)
Theorem one_ring S B T : best_in (ring S) #|S| B -> best #|S| T ->
  0 <= cov F B - cov F S <= cov F T - cov F S.
Proof.
case=> Bn BZ maxB [_ _ maxT].
by rewrite subr_ge0 ler_add2r maxB ?ring_sub // maxT ?subsetT.
Qed.

(* For a tree S: the best set within its ring can be taken to be a tree. *)
Theorem one_ring_tree S : closed par S -> exists B, [/\ best_in (ring S) #|S| B, closed par B &
  forall T, best #|S| T -> 0 <= cov F B - cov F S <= cov F T - cov F S].
Proof.
move=> cl; have [B bB cB] := best_in_closed (ring_closed cl) (subset_leq_card (ring_sub S)).
by exists B; split=> // T; apply: one_ring.
Qed.

(* "It is 0 iff the tree is already a best one within its ring." *)
Theorem one_ring_zero S B : best_in (ring S) #|S| B ->
  (cov F B - cov F S == 0) <-> best_in (ring S) #|S| S.
Proof.
case=> Bn BZ maxB; rewrite subr_eq0; split=> [/eqP e|[_ _ maxS]].
  by split; rewrite ?ring_sub // => S' n Z; rewrite -e maxB.
by rewrite eq_le maxS // maxB ?ring_sub.
Qed.
End Ring.
