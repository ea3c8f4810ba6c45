(* FALSE: with an end token the ceiling is still the flow of all nodes. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw exactlaw subtree endtoken toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X)
  (F : V -> R) (p : V -> X -> R) (eos : pred X),
  (forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c') ->
  F (root t) = 1 -> (forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c)) ->
  (forall v, \sum_x p v x = 1) -> (forall v x, 0 <= p v x) ->
  mean_length t (sub_canon t tok F p (live t tok eos)) = \sum_v F v.
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof.
move=> R V X t tok F p eos si F_root F_par p1 p0.
by have [_ ->] := eos_attained eos si F_root F_par p1 p0.
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose F (v : bool) : Q := 1; pose p (v x : bool) : Q := (v (+) x)%:R.
have si := toy_siblings; have F_par c : c != root toy -> F c = F (par toy c) * p (par toy c) c.
  by case: c => // _; rewrite /F /p /= mulr1.
have p1 v : \sum_x p v x = 1 by rewrite toy_sum /p; case: v.
have p0 v x : 0 <= p v x by rewrite ler0n.
move=> /(_ _ _ _ toy id F p id si erefl F_par p1 p0).
have [_ ->] := eos_attained id si (erefl : F (root toy) = 1) F_par p1 p0; rewrite !toy_sum.
have -> : ended toy id id true by apply/existsP; exists true.
have -> : ended toy id id false = false by apply/existsP => -[[]].
by move/eqP; vm_compute.
Qed.
