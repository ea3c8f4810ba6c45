(* The law of the block length, and its mean level by level. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw levels.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Lengths.
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R).
Hypothesis siblings : forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c'.
Hypothesis F_par : forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c).
Hypothesis p_sum : forall v, \sum_x p v x = 1.

(* P(length = k + 1), and E[min(length, n)]. *)
Definition length_mass (L : V -> X -> R) k := \sum_(v | depth t v == k) \sum_x L v x.
Definition mean_upto n (L : V -> X -> R) :=
  \sum_v \sum_x (minn (depth t v).+1 n)%:R * L v x.

(* "P(length = k + 1) is the exit mass at depth k." *)
Theorem length_exit k :
  length_mass (canon t tok F p) k = \sum_(v | depth t v == k) exit_mass t F v.
Proof. by apply: eq_bigr => v _; rewrite canon_sum. Qed.

(* "P(length = k + 1) = M_k - M_(k+1)." *)
Theorem length_law k :
  length_mass (canon t tok F p) k = level t F k - level t F k.+1.
Proof.
rewrite length_exit -!level_attained [X in X - _](bigID (fun v => depth t v == k)) /=.
rewrite [X in _ + X - _](eq_bigl (fun v => (k < depth t v)%N)) => [|v]; last first.
  by rewrite andbC [RHS]ltn_neqAle eq_sym.
by rewrite addrK; apply: eq_bigl => v; case: eqP => [->|]; rewrite ?leqnn ?andbF.
Qed.

(* For every law: E[min(length, n)] = sum over k < n of P(length >= k + 1). *)
Theorem mean_tails n L : mean_upto n L = \sum_(k < n) tail t L k.
Proof.
elim: n => [|n IH].
  by rewrite big_ord0 /mean_upto; do 2![apply: big1 => ? _]; rewrite minn0 mul0r.
rewrite big_ord_recr /= -IH /mean_upto /tail [X in _ = _ + X]big_mkcond addsum /=.
apply: eq_bigr => v _; have -> : minn (depth t v).+1 n.+1 = (minn (depth t v).+1 n + (n <= depth t v))%N.
  by case: leqP => h; rewrite ?addn1 ?addn0; [rewrite !(minn_idPr _) // ltnW|rewrite !(minn_idPl _) // ltnW].
under eq_bigr do rewrite natrD mulrDl.
rewrite big_split /=; congr (_ + _); case: ifP => _; first by apply: eq_bigr => x _; rewrite mul1r.
by apply: big1 => x _; rewrite mul0r.
Qed.

(* "Truncation: E[min(length, n)] = sum over k < n of M_k" for the canonical law. *)
Theorem mean_truncated n : mean_upto n (canon t tok F p) = \sum_(k < n) level t F k.
Proof.
rewrite mean_tails; apply: eq_bigr => k _; rewrite -level_attained /tail.
by apply: eq_bigr => v _; rewrite canon_sum.
Qed.

(* "The mean length is the sum of the M_k": n beyond the depth of the tree. *)
Theorem mean_levels n : (forall v, depth t v < n)%N ->
  mean_length t (canon t tok F p) = \sum_(k < n) level t F k.
Proof.
move=> dn; rewrite -mean_truncated; apply: eq_bigr => v _; apply: eq_bigr => x _.
by rewrite (minn_idPl (dn v)).
Qed.
End Lengths.
