(* Stochastic dominance: the tail of the block length, level by level. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Levels.
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R).

(* P(length >= k + 1), and the level mass M_k. *)
Definition tail (L : V -> X -> R) k := \sum_(v | (k <= depth t v)%N) \sum_x L v x.
Definition level k := \sum_(u | depth t u == k) F u.

(* A node of depth >= k has exactly one ancestor at depth k. *)
Lemma count_level k v :
  \sum_(u | anc t u v) (depth t u == k)%:R = (k <= depth t v)%N%:R :> R.
Proof.
elim/(tree_ind (t := t)): v => [|c cn IH].
  by rewrite sum_anc_root depth_root leqn0 eq_sym.
rewrite sum_anc // IH (depth_par cn) [in RHS]leq_eqVlt ltnS eq_sym -natrD; congr _%:R.
by have [->|] := eqVneq k _; rewrite ?ltnn // add0n.
Qed.

Lemma tail_levels (f : V -> R) k :
  \sum_(v | (k <= depth t v)%N) f v = \sum_(u | depth t u == k) \sum_(v | anc t u v) f v.
Proof.
rewrite big_mkcond [RHS]big_mkcond /=.
under [RHS]eq_bigr => u _.
  have -> : (if depth t u == k then \sum_(v | anc t u v) f v else 0)
          = \sum_v (if anc t u v then (depth t u == k)%:R else 0) * f v.
    rewrite big_mkcond; case: ifP => _.
      by apply: eq_bigr => v _; case: ifP; rewrite ?mul1r ?mul0r.
    by symmetry; apply: big1 => v _; case: ifP; rewrite mul0r.
  over.
rewrite exchange_big /=; apply: eq_bigr => v _.
by rewrite -big_distrl -big_mkcond /= count_level; case: ifP; rewrite ?mul1r ?mul0r.
Qed.

(* "P(L >= k+1) <= M_k for every k and every extendable law." *)
Theorem level_dominance L k : F (root t) = 1 -> extendable t tok F p L -> tail L k <= level k.
Proof.
move=> F_root [L0 L1 LF _]; rewrite /tail tail_levels; apply: ler_sum => u _.
have [->|un] := eqVneq u (root t).
  by rewrite F_root -L1 (eq_bigl _ _ (anc_of_root t)).
apply: le_trans (LF u un); rewrite /reach big_mkcond; apply: ler_sum => v _.
case: ifP => a; last by apply: sumr_ge0 => x _; rewrite mulr_ge0 ?ler0n.
by apply: ler_sum => x _; rewrite mul1r.
Qed.

(* "The canonical law attains all levels at once": P(L* >= k+1) = M_k. *)
Theorem level_attained k :
  \sum_(v | (k <= depth t v)%N) exit_mass t F v = level k.
Proof.
by rewrite tail_levels; apply: eq_bigr => u _; rewrite subtree_exit.
Qed.
End Levels.
