(* Draft trees: a finite type of nodes with a root, a parent map and a depth.
   Nothing else is assumed: acyclicity follows from the depth.             *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Record tree (V : finType) := Tree {
  root : V;
  par : V -> V;
  depth : V -> nat;
  depth_root : depth root = 0%N;
  depth_par : forall c, c != root -> depth c = (depth (par c)).+1
}.

Section Tree.
Variables (V : finType) (t : tree V).
Implicit Types u v w c : V.

(* [anc u v]: u is an ancestor of v or v itself (computable). *)
Definition anc u v : bool :=
  (depth t u <= depth t v)%N && (iter (depth t v - depth t u) (par t) v == u).

Lemma depth_eq0 v : (depth t v == 0%N) = (v == root t).
Proof.
apply/eqP/eqP => [d0|->]; last exact: depth_root.
by apply/eqP; apply: contraT => /depth_par; rewrite d0.
Qed.

Lemma anc_root u : anc u (root t) = (u == root t).
Proof.
rewrite /anc depth_root leqn0 depth_eq0 sub0n /= eq_sym.
by case: eqP => // ->; rewrite eqxx.
Qed.

(* "u is above c" = "u is c, or u is above the parent of c". *)
Lemma anc_par u c : c != root t -> anc u c = (u == c) || anc u (par t c).
Proof.
move=> cn; rewrite /anc (depth_par cn); case: (ltngtP (depth t u) (depth t (par t c)).+1) => h.
- rewrite ltnS in h; rewrite h subSn //= -iterS iterSr /=.
  case: (u =P c) => // uc; move: h; rewrite uc (depth_par cn).
  by rewrite ltnn.
- have -> : (depth t u <= depth t (par t c))%N = false.
    by apply/negbTE; rewrite -ltnNge (ltn_trans _ h).
  by case: (u =P c) => // uc; move: h; rewrite uc (depth_par cn) ltnn.
- by rewrite h subnn /= ltnn orbF eq_sym.
Qed.

Lemma anc_refl u : anc u u.
Proof. by rewrite /anc leqnn subnn /= eqxx. Qed.

Lemma anc_self_par c : c != root t -> anc c (par t c) = false.
Proof. by move=> cn; rewrite /anc (depth_par cn) ltnn. Qed.

(* Induction from the root downwards. *)
Lemma tree_ind (P : V -> Prop) :
  P (root t) -> (forall c, c != root t -> P (par t c) -> P c) -> forall v, P v.
Proof.
move=> P0 PS v; move: {2}(depth t v) (erefl (depth t v)) => n.
elim: n v => [|n IH] v dv.
  by have /eqP -> : v == root t by rewrite -depth_eq0 dv.
have vn : v != root t by rewrite -depth_eq0 dv.
by apply: PS => //; apply: IH; move: dv; rewrite (depth_par vn) => -[].
Qed.

Lemma anc_of_root v : anc (root t) v.
Proof.
elim/tree_ind: v => [|c cn IH]; first exact: anc_refl.
by rewrite anc_par // IH orbT.
Qed.

(* A sum over the ancestors of c = its own term + the sum over those of par c. *)
Lemma sum_anc (M : zmodType) (a : V -> M) c : c != root t ->
  \sum_(u | anc u c) a u = a c + \sum_(u | anc u (par t c)) a u.
Proof.
move=> cn; rewrite (bigD1 c) ?anc_refl //=; congr (_ + _); apply: eq_bigl => u.
rewrite (anc_par _ cn); case: (u =P c) => [->|_] /=; last by rewrite andbT.
by rewrite anc_self_par.
Qed.

Lemma sum_anc_root (M : zmodType) (a : V -> M) :
  \sum_(u | anc u (root t)) a u = a (root t).
Proof. by rewrite (eq_bigl _ _ anc_root) big_pred1_eq. Qed.

(* v has depth v + 1 ancestors, itself and the root included. *)
Lemma count_anc (R : ringType) v : \sum_(u | anc u v) (1 : R) = (depth t v).+1%:R.
Proof.
elim/tree_ind: v => [|c cn IH]; first by rewrite sum_anc_root depth_root.
by rewrite sum_anc // IH (depth_par cn) [in RHS]mulrSr addrC.
Qed.

(* A sum over the subtree of u = u + the non-root nodes whose parent is in it. *)
Lemma sum_below (M : zmodType) (a : V -> M) u :
  \sum_(w | anc u w) a w = a u + \sum_(c | (c != root t) && anc u (par t c)) a c.
Proof.
rewrite (bigD1 u) ?anc_refl //=; congr (_ + _); apply: eq_bigl => c.
have [->|cn] := eqVneq c (root t); first by rewrite anc_root [u == _]eq_sym andbN.
rewrite (anc_par _ cn) eq_sym /=; have [uc|_] := eqVneq u c; last by rewrite andbT.
by rewrite uc andbF anc_self_par.
Qed.

(* Grouping the non-root nodes by their parent. *)
Lemma sum_children (M : zmodType) (P : pred V) (a : V -> M) :
  \sum_(v | P v) \sum_(c | (c != root t) && (par t c == v)) a c
  = \sum_(c | (c != root t) && P (par t c)) a c.
Proof.
rewrite [RHS](partition_big (par t) P) /=; last by move=> c /andP[].
apply: eq_bigr => v Pv; apply: eq_bigl => c.
by case: (par t c =P v) => [->|]; rewrite ?Pv ?andbT ?andbF.
Qed.
End Tree.
