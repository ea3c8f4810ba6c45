(* FALSE: any rates >= 0 are a mixture of rooted subtrees. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw regret stopping subtree polytope toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (V : finType) (t : tree V) (s : V -> R),
  (forall u, u != root t -> 0 <= s u) -> exists2 l, mixture t 1 l &
  forall u, u != root t -> s u = \sum_(q <- l) q.1 * leave_rate R t q.2 u.
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof. by move=> R V t s s0; apply: rates_mixture. Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
move=> /(_ Q _ toy (fun=> 2%:R)) [u _|l [l0 _ l1] /(_ true isT) e]; first exact: ler0n.
suff : 2%:R <= 1 :> Q by [].
rewrite e -l1 !big_seq; apply: ler_sum => q /l0 q0.
by rewrite -[X in _ <= X]mulr1 ler_wpmul2l // lern1 leq_b1.
Qed.
