(* FALSE: sequential residual rejection without sum p <= r. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw levels regret rejection oracle toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (X : eqType) (p : X -> R) f r s,
  all (fun x => 0 <= p x) s ->
  tried p (f * r) r s = ([seq (x, f * p x) | x <- s], f * (r - mass p s)).
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof. by move=> R X p f r s ps; apply: sr_telescopes. Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
move=> /(_ Q _ (fun _ : bool => 1) 1 1 [:: true; false] isT).
by rewrite /mass !big_cons big_nil => /(congr1 snd) /eqP; vm_compute.
Qed.
