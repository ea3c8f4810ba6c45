(* FALSE: a path may use one draw twice. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw walk toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (V : finType) (t : tree V) (I : finType) (site : V -> I)
  (R : comRingType) (F : V -> R) (q : V -> R) w z, F (root t) = 1 ->
  (forall c, c != root t -> F c = F (par t c) * q c) ->
  \prod_i along t site 1 q w z i = F w * z.
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof. by move=> V t I site R F q w z F1 Fp; apply: product_size. Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose F (v : bool) : Q := (~~ v)%:R.
have Fp c : c != root toy -> F c = F (par toy c) * 0 by case: c => // _; rewrite mulr0.
move=> /(_ _ toy [finType of unit] (fun=> tt) _ F (fun=> 0) true 1 erefl Fp).
rewrite mulr1 (bigD1 tt) //= big1 => [|[] //]; rewrite /along eqxx.
by move/eqP; vm_compute.
Qed.
