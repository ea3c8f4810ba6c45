(* The two-node tree on bool (root false, one child true at token true), used by
   the refutations in falsified/.                                              *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma toy_depth (c : bool) : c != false -> nat_of_bool c = (nat_of_bool false).+1.
Proof. by case: c. Qed.
Definition toy : tree [finType of bool] := @Tree [finType of bool] false (fun=> false) nat_of_bool erefl toy_depth.

Lemma toy_sum (M : zmodType) (P : pred bool) (f : bool -> M) :
  \sum_(b | P b) f b = (if P true then f true else 0) + (if P false then f false else 0).
Proof. by rewrite big_mkcond big_bool. Qed.

Lemma toy_onT v x : onT toy id v x = ~~ v && x.
Proof.
by apply/existsP/idP => [[[] /and3P[]]|]; case: v; case: x => //; exists true.
Qed.

Lemma toy_siblings v x c c' : ends toy id c v x -> ends toy id c' v x -> c = c'.
Proof. by case: c; case: c'. Qed.
