(* FALSE: a best n-set can be prefix-closed whatever the flows of parents. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw levels regret rejection oracle toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (X : finType) (F : X -> R)
  (par : X -> option X) (d : X -> nat),
  (forall c v, par c = Some v -> (d v < d c)%N) -> forall n, (n <= #|X|)%N ->
  exists T : {set X}, [/\ #|T| = n, closed par T & forall S : {set X}, #|S| = n -> cov F S <= cov F T].
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof. by move=> R X F par d dp n le; apply: (oracle_closed dp). Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose par (b : bool) := if b then Some false else None.
have dp c v : par c = Some v -> (v < c)%N by case: c => //= -[<-].
have n1 : (1 <= #|[finType of bool]|)%N by rewrite card_bool.
move=> /(_ Q [finType of bool] (fun b : bool => (b : nat)%:R) par nat_of_bool dp 1%N n1) [T [T1 cl /(_ [set true])]].
rewrite cards1 => /(_ erefl); rewrite /cov big_set1.
have [tT|tT] := boolP (true \in T).
  have fT := cl true false tT erefl; have : (#|[set true; false]| <= #|T|)%N.
    by apply: subset_leq_card; apply/subsetP => -[].
  by rewrite T1 cards2.
by rewrite big1 ?ler10 // => -[] // h; rewrite h in tT.
Qed.
