(* FALSE: the target stopped outside any set of nodes is exact (root left out). *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw exactlaw subtree toy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Notation Q := [realFieldType of rat].

Definition claim := forall (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X)
  (F : V -> R) (p : V -> X -> R),
  (forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c') ->
  F (root t) = 1 -> (forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c)) ->
  (forall v, \sum_x p v x = 1) -> (forall v x, 0 <= p v x) ->
  forall S : {set V}, (forall c, c != root t -> c \in S -> par t c \in S) -> exact t tok p (sub_canon t tok F p S).
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof.
by move=> R V X t tok F p si F_root F_par p1 p0 S cl; apply: sub_exact.
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose F (v : bool) : Q := 1; pose p (v x : bool) : Q := (v (+) x)%:R.
have si := toy_siblings; have F_par c : c != root toy -> F c = F (par toy c) * p (par toy c) c.
  by case: c => // _; rewrite /F /p /= mulr1.
have p1 v : \sum_x p v x = 1 by rewrite toy_sum /p; case: v.
have p0 v x : 0 <= p v x by rewrite ler0n.
move=> /(_ _ _ _ toy id F p si erefl F_par p1 p0 set0) [|_ + _ _].
  by move=> c _; rewrite inE.
rewrite big1 => [/esym/eqP|v _]; first by rewrite oner_eq0.
by rewrite big1 // => x _; rewrite /sub_canon inE.
Qed.
