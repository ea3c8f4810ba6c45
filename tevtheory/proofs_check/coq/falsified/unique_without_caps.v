(* FALSE: the optimum is unique without the caps on off-tree tokens. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw levels regret rejection oracle toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X)
  (F : V -> R) (p : V -> X -> R),
  (forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c') ->
  F (root t) = 1 -> (forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c)) ->
  (forall v, \sum_x p v x = 1) -> (forall v x, 0 <= p v x) ->
  forall L, (forall v x, 0 <= L v x) -> \sum_v \sum_x L v x = 1 ->
  (forall u, u != root t -> reach t tok L u <= F u) ->
  mean_length t L = 1 + coverage t F -> forall v x, L v x = canon t tok F p v x.
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof.
move=> R V X t tok F p si F_root F_par p1 p0 L L0 L1 LF.
by apply: (canonical_unique si F_root F_par p1 p0); split.
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose F (v : bool) : Q := 1; pose p (v x : bool) : Q := (v (+) x)%:R.
have F_par c : c != root toy -> F c = F (par toy c) * p (par toy c) c.
  by case: c => // _; rewrite /F /p /= mulr1.
have p1 v : \sum_x p v x = 1 by rewrite toy_sum /p; case: v.
have p0 v x : 0 <= p v x by rewrite ler0n.
pose L (v x : bool) : Q := (v && x)%:R.
have L0 v x : 0 <= L v x by rewrite ler0n.
have L1 : \sum_v \sum_x L v x = 1 by rewrite !toy_sum /= ?toy_sum.
have LF u : u != root toy -> reach toy id L u <= F u.
  by case: u => // _; rewrite /reach !toy_sum /= ?toy_sum.
have Lm : mean_length toy L = 1 + coverage toy F.
  by rewrite /mean_length /coverage !toy_sum /= ?toy_sum.
move=> /(_ _ _ _ toy id F p toy_siblings erefl F_par p1 p0 L L0 L1 LF Lm true true).
by rewrite /canon toy_onT.
Qed.
