(* FALSE: the regret is the sum of beta u * Cov(T_u) (the 1 forgotten). *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw levels regret rejection oracle toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (V : finType) (t : tree V) (F s : V -> R),
  F (root t) = 1 -> (forall u w, anc t u w -> F u = 0 -> F w = 0) ->
  1 + coverage t F - stopped_length t F s
  = \sum_(u | u != root t) beta F s u * sub_coverage t F u.
(* BEGIN FALSE: the proof of regret_identity *)
Theorem falsified : claim.
Proof.
move=> R V t F s F_root F0; rewrite regret_rates //; apply: eq_bigr => u _; rewrite /beta.
have [z|n] := eqVneq (F u) 0.
  by rewrite z !mul0r /subflow big1 ?mulr0 // => w /F0 ->.
rewrite mulrAC [RHS]mulrC; congr (_ * _); rewrite /subflow (bigD1 u) ?anc_refl //=.
by rewrite mulrDr mulr1 /sub_coverage big_distrr /=; congr (_ + _);
  apply: eq_bigr => w _; rewrite mulrCA divff // mulr1.
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
have F0 u w : anc toy u w -> (1 : Q) = 0 -> (1 : Q) = 0 by [].
move=> /(_ Q _ toy (fun=> 1) (fun v => (v : nat)%:R) erefl F0).
rewrite regret_rates // /subflow /beta /sub_coverage !toy_sum /anc /= ?toy_sum.
by move/eqP; vm_compute.
Qed.
