(* FALSE: the mean length is at most the coverage (bonus token forgotten). *)
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
  forall L, extendable t tok F p L -> mean_length t L <= coverage t F.
(* BEGIN FALSE: the proof from the ceiling *)
Theorem falsified : claim.
Proof.
move=> R V X t tok F p si F_root F_par p1 p0 L.
by case/(ceiling si F_root F_par p1 p0).
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose F (v : bool) : Q := (~~ v)%:R; pose p (_ x : bool) : Q := (~~ x)%:R.
have si := toy_siblings; have F_par c : c != root toy -> F c = F (par toy c) * p (par toy c) c.
  by case: c => // _; rewrite /F /p /= mulr0.
have p1 v : \sum_x p v x = 1 by rewrite toy_sum /p /= add0r.
have p0 v x : 0 <= p v x by rewrite ler0n.
move=> /(_ _ _ _ toy id F p si erefl F_par p1 p0 _ (canonical_extendable si erefl F_par p1 p0)).
by rewrite (canonical_attains si erefl F_par p1) ger_addr ler10.
Qed.
