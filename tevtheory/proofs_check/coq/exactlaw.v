(* Exact block laws, from the definition: the regret identity and the ceiling. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw regret.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Exact.
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R).
Hypothesis F_root : F (root t) = 1.
Hypothesis F_par : forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c).
Hypothesis p_ge0 : forall v x, 0 <= p v x.
Notation onT := (onT t tok).
Notation ends := (ends t tok).

(* C v: the block strictly extends v.  A c = C c + P(block = c). *)
Definition strict (L : V -> X -> R) v := \sum_(w | anc t v w) \sum_x L w x.
Definition at_node (L : V -> X -> R) c := L (par t c) (tok c).
(* "Exact: the next token after v has the target's law on strict extensions",
   on the tree (A c = p c * C (par c)) and off it (L v x = p x * C v).         *)
Definition exact (L : V -> X -> R) :=
  [/\ forall v x, 0 <= L v x, \sum_v \sum_x L v x = 1,
      forall c, c != root t -> strict L c + at_node L c = p (par t c) (tok c) * strict L (par t c) &
      forall v x, ~~ onT v x -> L v x = p v x * strict L v].

Lemma flow_ge0 v : 0 <= F v.
Proof.
elim/(tree_ind (t := t)): v => [|c cn IH]; first by rewrite F_root ler01.
by rewrite F_par // mulr_ge0.
Qed.

Lemma flow_below u w : anc t u w -> F u = 0 -> F w = 0.
Proof.
move=> + u0; elim/(tree_ind (t := t)): w => [|c cn IH].
  by rewrite anc_root => /eqP <-.
by rewrite anc_par // => /orP[/eqP <- //|/IH z]; rewrite F_par // z mul0r.
Qed.

(* "The mean length counts the strict prefixes of the block." *)
Theorem length_strict L : mean_length t L = \sum_v strict L v.
Proof.
rewrite /strict; under [RHS]eq_bigr do rewrite big_mkcond /=.
rewrite exchange_big /=; apply: eq_bigr => w _.
rewrite -[RHS]big_mkcond /= -big_distrr /= -(count_anc t R w) big_distrl /=.
by apply: eq_bigr => u _; rewrite mul1r.
Qed.

Lemma reach_strict L c : c != root t -> reach t tok L c = strict L c + at_node L c.
Proof.
move=> cn; rewrite /reach (bigD1 (par t c)) //= /strict [in RHS]big_mkcond.
rewrite [in RHS](bigD1 (par t c)) //= anc_self_par // add0r addrC; congr (_ + _).
  apply: eq_bigr => v vn; have e x : ends c v x = false.
    by rewrite /exitlaw.ends [par t c == v]eq_sym (negbTE vn) /= andbF.
  case: ifP => _; first by apply: eq_bigr => x _; rewrite mul1r.
  by apply: big1 => x _; rewrite e mul0r.
rewrite /at_node (bigD1 (tok c)) //= /exitlaw.ends cn !eqxx mul1r big1 ?addr0 // => x xn.
by rewrite eq_sym (negbTE xn) mul0r.
Qed.

Section Law.
Variables (L : V -> X -> R).
Hypothesis Lx : exact L.
(* The stop rate of the theory note, d = beta / F. *)
Definition rate c := at_node L c / F c.

Lemma strict_ge0 v : 0 <= strict L v.
Proof. by case: Lx => L0 _ _ _; do 2![apply: sumr_ge0 => ? _]. Qed.

Lemma strict_root : strict L (root t) = 1.
Proof. by case: Lx => _ <- _ _; apply: eq_bigl => v; rewrite anc_of_root. Qed.

Lemma strict_alive v :
  strict L v = F v * alive t rate v /\ (v != root t -> beta F rate v = at_node L v).
Proof.
case: Lx => L0 _ Lc _; elim/(tree_ind (t := t)): v => [|c cn [IH _]].
  by rewrite strict_root F_root alive_root mul1r eqxx.
have step : strict L c + at_node L c = F c * alive t rate (par t c).
  by rewrite (Lc c cn) IH mulrCA mulrA -F_par.
have b : beta F rate c = at_node L c.
  rewrite /beta /rate; have [z|n] := eqVneq (F c) 0; last by rewrite mulrC divfK.
  move: step; rewrite z !mul0r => /eqP.
  by rewrite paddr_eq0 ?strict_ge0 ?L0 // => /andP[_ /eqP ->].
split=> // ; rewrite (alive_par _ cn) mulrBr -step -/(beta F rate c) b.
by rewrite addrK.
Qed.

(* "Regret identity": an exact verifier loses beta u * (1 + Cov(T_u)) for each
   in-tree string u that it emits with probability beta u, and nothing else.   *)
Theorem regret_exact : 1 + coverage t F - mean_length t L
  = \sum_(u | u != root t) at_node L u * (1 + sub_coverage t F u).
Proof.
rewrite length_strict; have -> : \sum_v strict L v = stopped_length t F rate.
  by rewrite stopped_length_alive //; apply: eq_bigr => v _; case: (strict_alive v).
rewrite (regret_identity _ F_root flow_below); apply: eq_bigr => u un.
by case: (strict_alive u) => _ ->.
Qed.

(* "Exact laws obey the extendable inequalities", so the ceiling covers them. *)
Theorem exact_extendable : extendable t tok F p L.
Proof.
case: (Lx) => L0 L1 Lc Lo.
have le v : strict L v <= F v.
  elim/(tree_ind (t := t)): v => [|c cn IH]; first by rewrite strict_root F_root.
  have := Lc c cn; move/eqP; rewrite eq_sym => /eqP e.
  apply: (@le_trans _ _ (strict L c + at_node L c)); first by rewrite ler_addl L0.
  by rewrite -e F_par // mulrC ler_wpmul2r.
split=> // [u un|v x /Lo ->]; last by rewrite mulrC ler_wpmul2r.
by rewrite reach_strict // Lc // F_par // mulrC ler_wpmul2r.
Qed.

(* "The ceiling for exact laws; it is attained iff no in-tree string is emitted." *)
Theorem exact_ceiling : mean_length t L <= 1 + coverage t F
  ?= iff [forall (u | u != root t), at_node L u == 0].
Proof.
have c0 u : 0 <= sub_coverage t F u.
  by apply: sumr_ge0 => w _; rewrite divr_ge0 ?flow_ge0.
have L0 v x : 0 <= L v x by case: Lx.
have t0 u : u != root t -> 0 <= at_node L u * (1 + sub_coverage t F u).
  by move=> _; rewrite mulr_ge0 ?addr_ge0 ?ler01 ?L0.
split; first by rewrite -subr_ge0 regret_exact sumr_ge0.
rewrite eq_sym -subr_eq0 regret_exact psumr_eq0 //.
apply/allP/forallP => h u.
  apply/implyP => un; move: (h u (mem_index_enum _)); rewrite un mulf_eq0 /=.
  by case/orP => // /eqP e; have := ltr_paddr (c0 u) ltr01; rewrite e ltxx.
by move=> _; apply/implyP => un; move/implyP: (h u) => /(_ un) /eqP ->; rewrite mul0r.
Qed.
End Law.
End Exact.
