(* FALSE: loss = missed + wasted for sets of different size. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw levels regret rejection oracle toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (X : finType) (F : X -> R) theta (S T : {set X}),
  cov F T - cov F S = \sum_(u in T :\: S) (F u - theta) + \sum_(v in S :\: T) (theta - F v).
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof. by move=> R X F theta S T; apply: missed_wasted. Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
move=> /(_ Q _ (fun _ : bool => 0) 1 set0 setT).
by rewrite /cov setD0 set0D !big_set0 !sumr_const cardsT card_bool => /eqP; vm_compute.
Qed.
