(* FALSE: the test may be u <= running sum (a token of probability 0 is accepted). *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw walk draws coins toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Fixpoint hit_le (R : realFieldType) (T : eqType) (f : T -> R) (a u : R) (s : seq T) :=
  if s is x :: s' then (if u <= a + f x then Some x else hit_le f (a + f x) u s') else None.
Definition claim := forall (R : realFieldType) (T : eqType) (f : T -> R), (forall x, 0 <= f x) ->
  forall s a u x, uniq s -> a <= u ->
  (hit_le f a u s == Some x) = (x \in s) && (a + before f s x <= u < a + before f s x + f x).
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof. by move=> R T f f0 s a u x us au; rewrite -(hit_piece f0). Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
move=> /(_ Q bool_eqType (fun=> 0) (fun=> lexx _) [:: true] 0 0 true isT (lexx _)).
by rewrite /before /= big_nil !addr0 lexx ltxx.
Qed.
