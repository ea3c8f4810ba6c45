(* FALSE: exit masses sum to 1 without F root = 1. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw levels regret rejection oracle toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (V : finType) (t : tree V) (F : V -> R),
  \sum_v exit_mass t F v = 1.
(* BEGIN FALSE: the proof of exit_sum1 *)
Theorem falsified : claim.
Proof.
move=> R V t F; rewrite sumrB (sum_children t predT) (bigD1 (root t)) //=.
by rewrite [X in _ - X](eq_bigl (fun c => c != root t)) ?addrK // => c; rewrite andbT.
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
move=> /(_ Q _ toy (fun=> 0)); rewrite /exit_mass !toy_sum /= ?toy_sum /=.
by move/eqP; vm_compute.
Qed.
