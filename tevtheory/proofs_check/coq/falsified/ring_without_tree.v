(* FALSE: the gain is not negative within any set of strings, the tree left out. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import oracle ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (X : finType) (F : X -> R) (Z S B : {set X}),
  best_in F Z #|S| B -> 0 <= cov F B - cov F S.
(* BEGIN FALSE: the proof of one_ring *)
Theorem falsified : claim.
Proof. by move=> R X F Z S B [Bn BZ maxB]; rewrite subr_ge0 maxB. Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
move=> h; have /h : best_in (fun b : bool => (b : nat)%:R : Q) [set false] #|[set true]| [set false].
  split; rewrite ?cards1 // => S S1 SZ.
  suff -> : S = [set false] by [].
  by apply/eqP; rewrite eqEcard SZ S1 cards1.
by rewrite /cov !big_set1.
Qed.
