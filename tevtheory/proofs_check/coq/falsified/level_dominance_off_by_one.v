(* FALSE: P(L >= k+1) <= M_(k+1). *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw levels regret rejection oracle toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X)
  (F : V -> R) (p : V -> X -> R) L k,
  F (root t) = 1 -> extendable t tok F p L -> tail t L k <= level t F k.+1.
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof. by move=> R V X t tok F p L k F_root; apply: level_dominance. Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose F (v : bool) : Q := (~~ v)%:R; pose p (_ x : bool) : Q := (~~ x)%:R.
have si := toy_siblings; have F_par c : c != root toy -> F c = F (par toy c) * p (par toy c) c.
  by case: c => // _; rewrite /F /p /= mulr0.
have p1 v : \sum_x p v x = 1 by rewrite toy_sum /p /= add0r.
have p0 v x : 0 <= p v x by rewrite ler0n.
move=> /(_ _ _ _ toy id F p _ 0%N erefl (canonical_extendable si erefl F_par p1 p0)).
by rewrite /tail (canon_sum1 si erefl F_par p1) /level toy_sum /= addr0 ler10.
Qed.
