(* FALSE: every exact law is the canonical law of one rooted subtree. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw regret exactlaw stopping subtree polytope vertices toy.
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
  forall L, exact t tok p L ->
  exists2 S, rooted t S & forall v x, L v x = sub_canon t tok F p S v x.
(* BEGIN FALSE: the true statement for vertices, applied *)
Theorem falsified : claim.
Proof.
move=> R V X t tok F p si F_root F_par p1 p0 L Lx.
by apply/(vertex_iff si F_root F_par p1 p0); split.
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose F (v : bool) : Q := 1; pose p (v x : bool) : Q := (v (+) x)%:R.
have si := toy_siblings; have F_par c : c != root toy -> F c = F (par toy c) * p (par toy c) c.
  by case: c => // _; rewrite /F /p /= mulr1.
have p1 v : \sum_x p v x = 1 by rewrite toy_sum /p; case: v.
have p0 v x : 0 <= p v x by rewrite ler0n.
pose h : Q := 2%:R^-1; pose L (v x : bool) : Q := if v (+) x then h else 0.
have rs : rates toy (fun=> h) by split=> // -[]; rewrite /alive toy_sum.
have Lx : exact toy id p L.
  apply: (stopped_exact si (erefl : F (root toy) = 1) F_par p1 p0 rs).
  split=> [[] //|].
  by move=> [] []; rewrite toy_onT //= => _; rewrite /alive toy_sum /F /p /L /=; apply/eqP; vm_compute.
move=> /(_ _ _ _ toy id F p si erefl F_par p1 p0 L Lx) [S _ /(_ false true)].
by rewrite /sub_canon /F /p /L mulr1; case: ifP => _ /eqP.
Qed.
