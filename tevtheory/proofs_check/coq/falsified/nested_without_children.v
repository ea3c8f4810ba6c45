(* FALSE: the walk exits at every node whose interval holds the uniform. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum rat.
From TEV Require Import tree exitlaw walk draws coins nested toy.
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
  forall kids, (forall v, uniq (kids v)) ->
  (forall v c, (c \in kids v) = (c != root t) && (par t c == v)) ->
  forall u w, 0 <= u < 1 -> (nested_exit t F kids u == w) = own t F kids w u.
(* BEGIN FALSE: the true statement, applied *)
Theorem falsified : claim.
Proof.
move=> R V X t tok F p si F_root F_par p1 p0 kids ku kE u w u01.
by rewrite (nested_exit_at si F_root F_par p1 p0 ku kE).
Qed.
(* END FALSE *)
Theorem refuted : ~ claim.
Proof.
pose F (v : bool) : Q := 1; pose p (v x : bool) : Q := (v (+) x)%:R.
have si := toy_siblings; have F_par c : c != root toy -> F c = F (par toy c) * p (par toy c) c.
  by case: c => // _; rewrite /F /p /= mulr1.
have p1 v : \sum_x p v x = 1 by rewrite toy_sum /p; case: v.
have p0 v x : 0 <= p v x by rewrite ler0n.
pose kids (v : bool) := if v then [::] else [:: true].
have ku v : uniq (kids v) by case: v.
have kE v c : (c \in kids v) = (c != root toy) && (par toy c == v) by case: v; case: c.
have u01 : 0 <= (0 : Q) < 1 by [].
move=> h; have {}h w := h _ _ _ toy id F p si erefl F_par p1 p0 kids ku kE 0 w u01.
have := h true; have := h false; rewrite /own /lo /skipped /before !toy_sum /anc /= big_nil.
by rewrite !addr0 add0r lexx ltr01 /= => /eqP ->.
Qed.
