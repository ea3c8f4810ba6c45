(* FALSE: a law stopped at any rates >= 0 is exact, path sums above 1 included. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw regret exactlaw stopping toy.
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
  forall s L, (forall u, u != root t -> 0 <= s u) -> stopped t tok F p s L -> exact t tok p L.
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof.
by move=> R V X t tok F p si F_root F_par p1 p0 s L s0; apply: stopped_exact.
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose F (v : bool) : Q := 1; pose p (v x : bool) : Q := (v (+) x)%:R.
have si := toy_siblings; have F_par c : c != root toy -> F c = F (par toy c) * p (par toy c) c.
  by case: c => // _; rewrite /F /p /= mulr1.
have p1 v : \sum_x p v x = 1 by rewrite toy_sum /p; case: v.
have p0 v x : 0 <= p v x by rewrite ler0n.
pose s (_ : bool) : Q := 2%:R.
pose L (v x : bool) : Q := if v then (if x then 0 else -1) else (if x then 2%:R else 0).
have s0 u : u != root toy -> 0 <= s u by rewrite ler0n.
have st : stopped toy id F p s L.
  split=> [[] //|].
  by move=> [] []; rewrite toy_onT //= => _; rewrite /alive toy_sum /F /p /L /=; apply/eqP; vm_compute.
move=> h; have [/(_ true false)] := h _ _ _ toy id F p si erefl F_par p1 p0 s L s0 st.
by rewrite oppr_ge0 ler10.
Qed.
