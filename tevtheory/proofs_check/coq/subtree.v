(* Canonical laws of rooted subtrees: exact, and extreme among the exact laws. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw regret exactlaw stopping.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Subtree.
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R).
Hypothesis siblings : forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c'.
Hypothesis F_root : F (root t) = 1.
Hypothesis F_par : forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c).
Hypothesis p_sum : forall v, \sum_x p v x = 1.
Hypothesis p_ge0 : forall v x, 0 <= p v x.

(* A rooted subtree S of the tree, and its canonical law: the target until it leaves S. *)
Definition rooted (S : {set V}) :=
  root t \in S /\ (forall c, c != root t -> c \in S -> par t c \in S).
Definition sub_canon (S : {set V}) v x :=
  if (v \in S) && ~~ [exists c, ends t tok c v x && (c \in S)] then F v * p v x else 0.

Lemma sub_node (S : {set V}) c : c != root t ->
  at_node t tok (sub_canon S) c = if (par t c \in S) && (c \notin S) then F c else 0.
Proof.
move=> cn; rewrite /at_node /sub_canon -F_par //.
suff -> : [exists b, ends t tok b (par t c) (tok c) && (b \in S)] = (c \in S) by [].
have ec : ends t tok c (par t c) (tok c) by rewrite /ends cn !eqxx.
apply/existsP/idP => [[b /andP[e bS]]|cS]; first by rewrite (siblings ec e).
by exists c; rewrite ec.
Qed.

(* The stop rates of the subtree's canonical law: 1 where a node is just outside. *)
Definition leaves (S : {set V}) c := (c != root t) && (par t c \in S) && (c \notin S).
Definition leave_rate (S : {set V}) c : R := (leaves S c)%:R.

Lemma leave_alive S : rooted S -> forall v, alive t (leave_rate S) v = (v \in S)%:R.
Proof.
case=> rS clS; elim/(tree_ind (t := t)) => [|c cn IH]; first by rewrite alive_root rS.
rewrite (alive_par _ cn) IH /leave_rate /leaves cn /=; have [cS|cS] := boolP (c \in S).
  by rewrite clS //= subr0.
by rewrite andbT subrr.
Qed.

Lemma rooted_up S u v : rooted S -> anc t u v -> v \in S -> u \in S.
Proof.
case=> _ cl; elim/(tree_ind (t := t)): v => [|c cn IH]; first by rewrite anc_root => /eqP ->.
by rewrite (anc_par _ cn) => /orP[/eqP -> //|/IH h] /(cl c cn).
Qed.

(* "Each string outside S lies below exactly one exit": at or below one node just outside. *)
Theorem one_exit_above S v : rooted S -> v \notin S -> exists! c, leaves S c && anc t c v.
Proof.
move=> rS; have [r0 _] := rS; elim/(tree_ind (t := t)): v => [|v vn IH] vS.
  by rewrite r0 in vS.
have [pS|/IH[c [/andP[lc a] uc]]] := boolP (par t v \in S); last first.
  exists c; split=> [|b /andP[lb]]; first by rewrite lc (anc_par _ vn) a orbT.
  rewrite (anc_par _ vn) => /orP[/eqP e|ab]; last by apply: uc; rewrite lb.
  by move: lb lc; rewrite e /leaves => /andP[/andP[_ pS] _] /andP[_]; rewrite (rooted_up rS a pS).
exists v; split=> [|b /andP[/andP[_ nb]]]; first by rewrite /leaves vn pS vS anc_refl.
by rewrite (anc_par _ vn) => /orP[/eqP -> //|a]; rewrite (rooted_up rS a pS) in nb.
Qed.

Lemma leave_rates S : rooted S -> rates t (leave_rate S).
Proof. by move=> rS; split=> [u _|w]; rewrite ?(leave_alive rS) ler0n. Qed.

(* "Running the canonical verifier of S = stopping at the nodes just outside S." *)
Theorem sub_stopped S : rooted S -> stopped t tok F p (leave_rate S) (sub_canon S).
Proof.
move=> rS; split=> [c cn|v x o].
  by rewrite sub_node // /beta /leave_rate /leaves cn /=; case: ifP; rewrite ?mulr1 ?mulr0.
rewrite (leave_alive rS) /sub_canon.
have -> : [exists c, ends t tok c v x && (c \in S)] = false.
  by apply/negbTE; apply: contra o => /existsP[c /andP[e _]]; apply/existsP; exists c.
by rewrite andbT; case: ifP; rewrite ?mulr1 ?mulr0.
Qed.

Lemma sub_strict S : rooted S ->
  forall v, strict t (sub_canon S) v = if v \in S then F v else 0.
Proof.
move=> rS v; rewrite (stopped_strict siblings F_par p_sum (sub_stopped rS)) leave_alive //.
by case: ifP; rewrite ?mulr1 ?mulr0.
Qed.

(* "The canonical law of a rooted subtree is an exact law on the whole tree." *)
Theorem sub_exact S : rooted S -> exact t tok p (sub_canon S).
Proof.
move=> rS; apply: (stopped_exact siblings F_root F_par p_sum p_ge0 (leave_rates rS)).
exact: sub_stopped.
Qed.

(* On the whole tree it is the canonical law. *)
Theorem sub_whole v x : sub_canon setT v x = canon t tok F p v x.
Proof.
rewrite /sub_canon /canon inE /onT; under eq_existsb do rewrite inE andbT.
by case: existsP.
Qed.

(* An exact law never exceeds the target's flow on any string. *)
Lemma exact_le L v x : exact t tok p L -> 0 <= L v x <= F v * p v x.
Proof.
move=> Lx; have [L0 _ LF Lo] := exact_extendable F_root F_par p_ge0 Lx; rewrite L0 /=.
have [/existsP[c /and3P[cn /eqP <- /eqP <-]]|/Lo //] := boolP (onT t tok v x).
rewrite -F_par //; apply: le_trans (LF c cn); rewrite reach_strict // ler_addr.
exact: strict_ge0 Lx _.
Qed.

(* "The canonical laws of rooted subtrees are vertices": no proper mixture of two exact
   laws gives one, unless both are that law.                                      *)
Theorem sub_extreme S L1 L2 (a : R) : rooted S -> exact t tok p L1 -> exact t tok p L2 ->
  0 < a < 1 -> (forall v x, sub_canon S v x = a * L1 v x + (1 - a) * L2 v x) ->
  forall v x, L1 v x = sub_canon S v x /\ L2 v x = sub_canon S v x.
Proof.
move=> rS E1 E2 /andP[a0 a1] mix v x.
have [/andP[p1 q1] /andP[p2 q2]] := (exact_le v x E1, exact_le v x E2).
have b0 : 0 < 1 - a by rewrite subr_gt0.
have pos (y z : R) : 0 <= y -> 0 <= z -> a * y + (1 - a) * z = 0 -> y = 0 /\ z = 0.
  move=> y0 z0 /eqP; rewrite paddr_eq0 ?mulr_ge0 // ?ltW // !mulf_eq0 (gt_eqF a0) (gt_eqF b0).
  by case/andP=> /eqP -> /eqP ->.
have := mix v x; rewrite /sub_canon; case: ifP => _ e; last first.
  by case: (pos (L1 v x) (L2 v x)).
set f := F v * p v x in q1 q2 e *.
have /pos[] : a * (f - L1 v x) + (1 - a) * (f - L2 v x) = 0.
  rewrite !mulrBr addrACA -opprD -e -mulrDl addrCA subrr addr0 mul1r subrr //.
- by rewrite subr_ge0.
- by rewrite subr_ge0.
by move=> /eqP + /eqP; rewrite !subr_eq0 => /eqP -> /eqP ->.
Qed.
End Subtree.
