(* FALSE: TEV may draw its bonus from the row without dividing by its mass. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw draws toy.
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
  forall w x, ~~ onT t tok w x -> exit_mass t F w * p w x = canon t tok F p w x.
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof.
move=> R V X t tok F p si F_root F_par p1 p0 w x o.
by rewrite -(tev_canonical si F_par p1 p0) /bonus (negbTE o).
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose h : Q := 2%:R^-1; pose F (v : bool) : Q := if v then h else 1; pose p (_ _ : bool) : Q := h.
have F_par c : c != root toy -> F c = F (par toy c) * p (par toy c) c.
  by case: c => // _; rewrite /F /p mul1r.
have p1 v : \sum_x p v x = 1 by rewrite toy_sum.
have p0 v x : 0 <= p v x by rewrite /p.
move=> /(_ _ _ _ toy id F p toy_siblings erefl F_par p1 p0 false false).
rewrite toy_onT => /(_ isT); rewrite /canon toy_onT /exit_mass toy_sum /=.
by move/eqP; vm_compute.
Qed.
