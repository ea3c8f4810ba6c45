(* FALSE: exit mass weighted by depth + 1 is the coverage. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw levels regret rejection oracle toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (V : finType) (t : tree V) (F : V -> R),
  F (root t) = 1 -> \sum_v (depth t v).+1%:R * exit_mass t F v = coverage t F.
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof. by move=> R V t F F_root; rewrite depth_coverage. Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
move=> /(_ Q _ toy (fun=> 1) erefl); rewrite /exit_mass /coverage !toy_sum /= ?toy_sum /=.
by move/eqP; vm_compute.
Qed.
