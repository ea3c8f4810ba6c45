(* Exact laws are the target stopped by a randomised rule that does not look ahead. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw regret exactlaw.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Rates.
Variables (R : realFieldType) (V : finType) (t : tree V).

(* Rates s u >= 0 with path sums <= 1 (regret.v's [alive] is what they leave). *)
Definition rates (s : V -> R) :=
  (forall u, u != root t -> 0 <= s u) /\ (forall w, 0 <= alive t s w).
(* Rules: stop at u, if not stopped before, with probability h u; [going h w] is the
   probability of not having stopped at w or above.  h u depends on u only.    *)
Definition rule (h : V -> R) := forall u, u != root t -> 0 <= h u <= 1.
Definition going (h : V -> R) w := \prod_(b | (b != root t) && anc t b w) (1 - h b).

Lemma going_root h : going h (root t) = 1.
Proof. by rewrite /going big_pred0 // => b; rewrite anc_root andNb. Qed.

Lemma going_par h c : c != root t -> going h c = going h (par t c) * (1 - h c).
Proof.
move=> cn; rewrite /going (bigD1 c) ?anc_refl ?cn //= mulrC; congr (_ * _).
apply: eq_bigl => b; rewrite (anc_par _ cn) -andbA; congr (_ && _).
by have [->|_] := eqVneq b c; rewrite ?andbT //= anc_self_par.
Qed.

(* "Rules and rates are the same thing": s u = (not stopped above u) * h u. *)
Theorem rates_of_rule h : rule h ->
  exists s, [/\ rates s, forall w, alive t s w = going h w &
                forall u, u != root t -> s u = going h (par t u) * h u].
Proof.
move=> hr; pose s u := going h (par t u) * h u.
have e w : alive t s w = going h w.
  elim/(tree_ind (t := t)): w => [|c cn IH]; first by rewrite alive_root going_root.
  by rewrite (alive_par _ cn) going_par // IH /s mulrBr mulr1.
have g0 w : 0 <= going h w.
  by apply: prodr_ge0 => b /andP[/hr /andP[_ h1] _]; rewrite subr_ge0.
exists s; split=> //; split=> [u /hr /andP[h0 _]|w]; first by rewrite mulr_ge0.
by rewrite e.
Qed.

Theorem rule_of_rates s : rates s ->
  exists h, [/\ rule h, forall w, going h w = alive t s w &
                forall u, u != root t -> going h (par t u) * h u = s u].
Proof.
case=> s0 a0; pose h u := s u / alive t s (par t u).
have sa u : u != root t -> s u <= alive t s (par t u).
  by move=> un; rewrite -subr_ge0 -(alive_par s un).
have m u : u != root t -> alive t s (par t u) * h u = s u.
  move=> un; rewrite /h; have [z|n] := eqVneq (alive t s (par t u)) 0.
    by rewrite z mul0r; apply/eqP; rewrite eq_le s0 //= -z sa.
  by rewrite mulrC divfK.
have e w : going h w = alive t s w.
  elim/(tree_ind (t := t)): w => [|c cn IH]; first by rewrite alive_root going_root.
  by rewrite (alive_par _ cn) going_par // IH mulrBr mulr1 m.
exists h; split=> // [u un|u un]; last by rewrite e m.
rewrite /h divr_ge0 ?s0 //=; have [z|n] := eqVneq (alive t s (par t u)) 0.
  by rewrite z invr0 mulr0 ler01.
by rewrite ler_pdivr_mulr ?mul1r ?sa // lt_neqAle eq_sym n a0.
Qed.
End Rates.

Section Stopped.
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R).
Hypothesis siblings : forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c'.
Hypothesis F_root : F (root t) = 1.
Hypothesis F_par : forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c).
Hypothesis p_sum : forall v, \sum_x p v x = 1.
Hypothesis p_ge0 : forall v x, 0 <= p v x.

(* The law of the target stopped at rates s: it ends at node c with F c * s c (beta of
   regret.v), and leaves the tree by (v, x) if it is still running at v.       *)
Definition stopped s (L : V -> X -> R) :=
  (forall c, c != root t -> at_node t tok L c = beta F s c) /\
  (forall v x, ~~ onT t tok v x -> L v x = F v * p v x * alive t s v).

(* Summation by parts below v. *)
Lemma by_parts_below (g : V -> R) v :
  \sum_(w | anc t v w) g w * exit_mass t F w
  = g v * F v + \sum_(c | (c != root t) && anc t v (par t c)) (g c - g (par t c)) * F c.
Proof.
under eq_bigr do rewrite mulrBr big_distrr /=.
under [X in X = _]eq_bigr => w _.
  rewrite (eq_bigr (fun c => g (par t c) * F c)); last by move=> c /andP[_ /eqP ->].
  over.
rewrite sumrB (sum_children t (anc t v) (fun c => g (par t c) * F c)) sum_below -addrA.
by congr (_ + _); rewrite -sumrB; apply: eq_bigr => c _; rewrite mulrBl.
Qed.

(* The mass of the blocks (w, x): its children's, then the rest. *)
Lemma split_tokens (L : V -> X -> R) w :
  \sum_x L w x = \sum_(c | (c != root t) && (par t c == w)) at_node t tok L c
                 + \sum_(x | ~~ onT t tok w x) L w x.
Proof.
rewrite (bigID (onT t tok w)) /=; congr (_ + _).
rewrite [RHS](partition_big tok (onT t tok w)) /=; last first.
  by move=> c /andP[cn /eqP e]; apply/existsP; exists c; rewrite /ends cn e !eqxx.
apply: eq_bigr => x /existsP[c h]; rewrite (bigD1 c) /=; last by rewrite -andbA.
rewrite big1 ?addr0 => [|c' /andP[h' n]]; last first.
  by rewrite -andbA in h'; rewrite (siblings h' h) eqxx in n.
by case/and3P: h => cn /eqP e1 /eqP e2; rewrite /at_node e1 e2.
Qed.

Lemma off_mass v : \sum_(x | ~~ onT t tok v x) F v * p v x = exit_mass t F v.
Proof.
rewrite -(canon_sum siblings F_par p_sum) [RHS](bigID (onT t tok v)) /=.
rewrite [X in _ = X + _]big1 /= => [|x h]; last by rewrite /canon h.
by rewrite add0r; apply: eq_bigr => x /negbTE h; rewrite /canon h.
Qed.

(* "Of a stopped target, F v * alive v runs through v." *)
Lemma stopped_strict s L : stopped s L -> forall v, strict t L v = F v * alive t s v.
Proof.
case=> Lc Lo v; rewrite /strict; under eq_bigr do rewrite split_tokens.
under eq_bigr => w _.
  rewrite [X in _ + X](eq_bigr (fun x => alive t s w * (F w * p w x))); last first.
    by move=> x /Lo ->; rewrite mulrC.
  rewrite -big_distrr /= off_mass; over.
rewrite big_split /= sum_children by_parts_below mulrC addrCA -big_split /= big1 ?addr0 // => c.
by case/andP=> cn _; rewrite Lc // (alive_par _ cn) addrAC subrr add0r mulNr mulrC subrr.
Qed.

(* "A target stopped by rates is an exact law." *)
Theorem stopped_exact s L : rates t s -> stopped s L -> exact t tok p L.
Proof.
case=> s0 a0 st; have F0 := flow_ge0 F_root F_par p_ge0; have e := stopped_strict st.
case: (st) => Lc Lo; have r1 : strict t L (root t) = 1 by rewrite e F_root alive_root mul1r.
split=> [v x||c cn|v x o].
- have [/existsP[c /and3P[cn /eqP <- /eqP <-]]|o] := boolP (onT t tok v x).
    by rewrite -/(at_node t tok L c) Lc // mulr_ge0 ?s0.
  by rewrite Lo // !mulr_ge0.
- by rewrite -r1; apply: eq_bigl => v; rewrite anc_of_root.
- by rewrite Lc // !e (alive_par s cn) /beta -mulrDr subrK F_par // mulrCA mulrA.
- by rewrite Lo // e mulrCA mulrA.
Qed.

(* "Every exact law is the target stopped by some rates." *)
Theorem exact_stopped L : exact t tok p L -> exists2 s, rates t s & stopped s L.
Proof.
move=> Lx; have [L0 _ _ Lo] := Lx; have F0 := flow_ge0 F_root F_par p_ge0.
pose s := rate t tok F L; have sa := strict_alive F_root F_par Lx.
exists s; last first.
  split=> [c cn|v x o]; first by case: (sa c) => _ ->.
  by rewrite Lo //; case: (sa v) => -> _; rewrite mulrCA mulrA.
split=> [u un|w]; first by rewrite divr_ge0 ?L0.
elim/(tree_ind (t := t)): w => [|c cn IH]; first by rewrite alive_root ler01.
have [z|n] := eqVneq (F c) 0.
  by rewrite (alive_par _ cn) /s /rate z invr0 mulr0 subr0.
have Fp : 0 < F c by rewrite lt_neqAle eq_sym n F0.
rewrite -(pmulr_rge0 _ Fp); case: (sa c) => <- _.
exact: strict_ge0 Lx _.
Qed.

(* "A law is exact iff its block is the target stopped by a randomised rule." *)
Theorem exact_iff_stopped L : exact t tok p L <->
  exists h, [/\ rule t h,
    forall c, c != root t -> at_node t tok L c = F c * (going t h (par t c) * h c) &
    forall v x, ~~ onT t tok v x -> L v x = F v * p v x * going t h v].
Proof.
split=> [/exact_stopped[s rs [Lc Lo]]|[h [rh Lc Lo]]].
  have [h [rh g m]] := rule_of_rates rs; exists h; split=> // [c cn|v x o].
    by rewrite Lc // m.
  by rewrite Lo // g.
have [s [rs a m]] := rates_of_rule rh; apply: (stopped_exact rs).
by split=> [c cn|v x o]; [rewrite Lc // /beta m|rewrite Lo // a].
Qed.
End Stopped.
