(* FALSE: P(length = k + 2) = M_k - M_(k+1). *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw levels lengths toy.
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
  forall k, length_mass t (canon t tok F p) k.+1 = level t F k - level t F k.+1.
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof. by move=> R V X t tok F p si F_root F_par p1 p0 k; rewrite length_law. Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose F (v : bool) : Q := 1; pose p (v x : bool) : Q := (v (+) x)%:R.
have si := toy_siblings; have F_par c : c != root toy -> F c = F (par toy c) * p (par toy c) c.
  by case: c => // _; rewrite /F /p /= mulr1.
have p1 v : \sum_x p v x = 1 by rewrite toy_sum /p; case: v.
have p0 v x : 0 <= p v x by rewrite ler0n.
move=> /(_ _ _ _ toy id F p si erefl F_par p1 p0 0%N).
rewrite length_exit // /level /exit_mass !toy_sum /= ?toy_sum /=.
by move/eqP; vm_compute.
Qed.
