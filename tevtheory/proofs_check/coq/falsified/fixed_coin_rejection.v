(* FALSE: rejection with coins p x that are not rescaled emits p x. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw levels regret rejection oracle toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Fixpoint fixed_coin (R : realFieldType) (X : eqType) (p : X -> R) (m : R) (s : seq X) :=
  if s is x :: s' then
    let: (out, rest) := fixed_coin p (m * (1 - p x)) s' in ((x, m * p x) :: out, rest)
  else ([::], m).
Definition claim := forall (R : realFieldType) (X : eqType) (p : X -> R) (s : seq X),
  all (fun x => 0 <= p x) s -> mass p s <= 1 ->
  fixed_coin p 1 s = ([seq (x, p x) | x <- s], 1 - mass p s).
(* BEGIN FALSE: induction, as for sr_telescopes *)
Theorem falsified : claim.
Proof.
move=> R X p; rewrite /mass; elim=> [|x s IH] /=; first by rewrite big_nil subr0.
case/andP=> px ps; rewrite big_cons => le; rewrite mul1r.
by rewrite IH // opprD addrA.
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
move=> /(_ Q _ (fun _ : bool => 1 / 2%:R) [:: true; false] isT).
by rewrite /mass !big_cons big_nil => /(_ isT) [] /eqP; vm_compute.
Qed.
