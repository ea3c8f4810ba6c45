(* Exit masses, the ceiling and the uniqueness of the canonical law. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section ExitMass.
Variables (R : realFieldType) (V : finType) (t : tree V) (F : V -> R).
Hypothesis F_root : F (root t) = 1.

Definition exit_mass v := F v - \sum_(c | (c != root t) && (par t c == v)) F c.
Definition coverage := \sum_(v | v != root t) F v.

(* "The exit masses sum to 1."  No sign condition is used. *)
Theorem exit_sum1 : \sum_v exit_mass v = 1.
Proof.
rewrite sumrB (sum_children t predT) (bigD1 (root t)) //= F_root.
by rewrite [X in _ - X](eq_bigl (fun c => c != root t)) ?addrK // => c; rewrite andbT.
Qed.

(* "The mean depth of the exit node is the coverage." *)
Theorem depth_coverage : \sum_v (depth t v)%:R * exit_mass v = coverage.
Proof.
under eq_bigr do rewrite mulrBr big_distrr /=.
under [X in X = _]eq_bigr => v _.
  rewrite (eq_bigr (fun c => (depth t (par t c))%:R * F c)); last first.
    by move=> c /andP[_ /eqP ->].
  over.
rewrite sumrB (sum_children t predT (fun c => (depth t (par t c))%:R * F c)).
rewrite (bigD1 (root t)) //= depth_root mul0r add0r.
rewrite [X in _ - X](eq_bigl (fun c => c != root t)) => [|c]; last by rewrite andbT.
rewrite -sumrB; apply: eq_bigr => c cn.
by rewrite (depth_par cn) mulrSr mulrDl mul1r addrC addKr.
Qed.

(* "The exit mass in the subtree of u is the flow of u." *)
Theorem subtree_exit u : \sum_(w | anc t u w) exit_mass w = F u.
Proof. by rewrite sumrB sum_children sum_below addrK. Qed.

(* "The expected number of accepted nodes is at most the coverage, with equality
   iff every node is reached with its full flow."                             *)
Theorem accept_le (A : V -> R) : (forall u, u != root t -> A u <= F u) ->
  \sum_(u | u != root t) A u <= coverage ?= iff [forall (u | u != root t), A u == F u].
Proof. by move=> AF; apply: leif_sum => u un; split=> //; apply: AF. Qed.
End ExitMass.

Section Ceiling.
(* Tokens X; node c != root sits at token tok c of its parent; siblings differ. *)
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R).
Definition ends c (v : V) (x : X) := [&& c != root t, par t c == v & tok c == x].
Definition onT v x := [exists c, ends c v x].   (* the string vx is a tree node *)
Hypothesis siblings : forall v x c c', ends c v x -> ends c' v x -> c = c'.
Hypothesis F_root : F (root t) = 1.
Hypothesis F_par : forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c).
Hypothesis p_sum : forall v, \sum_x p v x = 1.

(* A block is (v, x): accepted path v, last token x; its length is depth v + 1. *)
Definition canon v x := if onT v x then 0 else F v * p v x.
Definition mean_length (L : V -> X -> R) := \sum_v \sum_x (depth t v).+1%:R * L v x.
(* A u: the block passes through u or ends there. *)
Definition reach (L : V -> X -> R) u := \sum_v \sum_x (anc t u v || ends u v x)%:R * L v x.
Definition extendable (L : V -> X -> R) :=
  [/\ forall v x, 0 <= L v x, \sum_v \sum_x L v x = 1,
      forall u, u != root t -> reach L u <= F u &
      forall v x, ~~ onT v x -> L v x <= F v * p v x].

(* The nodes that a block passes or ends at: its depth, plus one if it is a node. *)
Lemma count_reach v x :
  \sum_(u | u != root t) (anc t u v || ends u v x)%:R = (depth t v + onT v x)%N%:R :> R.
Proof.
have disj u : (anc t u v || ends u v x)%:R = (anc t u v)%:R + (ends u v x)%:R :> R.
  case e: (ends u v x); last by rewrite orbF addr0.
  by case/and3P: e => un /eqP <- _; rewrite anc_self_par // add0r.
under eq_bigr do rewrite disj.
rewrite big_split natrD /=; congr (_ + _).
  apply: (@addrI _ 1); rewrite -mulrS -(count_anc t R v) [RHS]big_mkcond /=.
  rewrite [RHS](bigD1 (root t)) //= anc_of_root; congr (_ + _).
  by apply: eq_bigr => u _; case: ifP.
case e: (onT v x); last first.
  rewrite big1 // => u _; case: (boolP (ends u v x)) => // h.
  by case/existsP: e; exists u.
case/existsP: e => c h; rewrite (bigD1 c) /=; last by case/and3P: h.
rewrite h big1 ?addr0 // => u /andP[_ uc]; case: (boolP (ends u v x)) => // h'.
by rewrite (siblings h' h) eqxx in uc.
Qed.

Lemma addsum (I : finType) (a b : I -> R) : \sum_i a i + \sum_i b i = \sum_i (a i + b i).
Proof. by rewrite big_split. Qed.

(* Double counting: mean length = 1 + (reach of the nodes) - (mass that ends on a node). *)
Lemma length_reach L : \sum_v \sum_x L v x = 1 ->
  mean_length L + \sum_v \sum_x (onT v x)%:R * L v x
  = 1 + \sum_(u | u != root t) reach L u.
Proof.
move=> L1; rewrite /reach [X in _ = _ + X]exchange_big /=.
under [X in _ = _ + X]eq_bigr do rewrite exchange_big /=.
rewrite -[X in _ = X + _]L1 /mean_length !addsum /=; apply: eq_bigr => v _.
rewrite !addsum /=; apply: eq_bigr => x _.
by rewrite -big_distrl /= count_reach -mulrDl -{2}[L v x]mul1r -mulrDl -natrD -mulrS addSn.
Qed.

Lemma canon_sum v : \sum_x canon v x = exit_mass t F v.
Proof.
have -> : \sum_x canon v x = \sum_x F v * p v x - \sum_(x | onT v x) F v * p v x.
  rewrite (bigID (onT v)) [X in X + _ = _]big1 /= => [|x h]; last by rewrite /canon h.
  rewrite [X in _ = X - _](bigID (onT v)) /= add0r addrAC subrr add0r.
  by apply: eq_bigr => x /negbTE h; rewrite /canon h.
rewrite -big_distrr /= p_sum mulr1; congr (_ - _).
rewrite [RHS](partition_big tok (onT v)) /=; last first.
  by move=> c /andP[cn /eqP e]; apply/existsP; exists c; rewrite /ends cn e !eqxx.
apply: eq_bigr => x /existsP[c h]; rewrite (bigD1 c) /=; last by rewrite -andbA.
rewrite big1 ?addr0 => [|c' /andP[h' n]]; last first.
  by rewrite -andbA in h'; rewrite (siblings h' h) eqxx in n.
by case/and3P: h => cn /eqP e1 /eqP e2; rewrite (F_par cn) e1 e2.
Qed.

Lemma canon_sum1 : \sum_v \sum_x canon v x = 1.
Proof. by under eq_bigr do rewrite canon_sum; rewrite exit_sum1. Qed.

(* "The canonical law attains the ceiling." *)
Theorem canonical_attains : mean_length canon = 1 + coverage t F.
Proof.
rewrite /mean_length.
under eq_bigr do rewrite -big_distrr /= canon_sum mulrSr mulrDl mul1r.
by rewrite big_split /= depth_coverage exit_sum1 // addrC.
Qed.

Hypothesis p_ge0 : forall v x, 0 <= p v x.

(* "The canonical law is extendable; it reaches every node with its full flow." *)
Theorem canonical_reach u : u != root t -> reach canon u = F u.
Proof.
move=> un; rewrite -[RHS](subtree_exit t F u) [RHS]big_mkcond /=; apply: eq_bigr => v _.
rewrite -canon_sum; case: ifP => h; first by apply: eq_bigr => x _; rewrite mul1r.
apply: big1 => x _; rewrite /= /canon; case: ifP => [_|/negbT o]; first by rewrite mulr0.
case: (boolP (ends u v x)) => [e|_]; last by rewrite mul0r.
by case/existsP: o; exists u.
Qed.

Theorem canonical_extendable : extendable canon.
Proof.
have F0 v : 0 <= F v.
  by elim/(tree_ind (t := t)): v => [|c cn IH]; rewrite ?F_root ?ler01 // F_par // mulr_ge0.
split; first by move=> v x; rewrite /canon; case: ifP => // _; rewrite mulr_ge0.
- exact: canon_sum1.
- by move=> u un; rewrite canonical_reach.
- by move=> v x /negbTE o; rewrite /canon o.
Qed.

(* "Every extendable law has mean length at most 1 + coverage, with equality for
   the canonical law and no other" (ceiling and uniqueness in one statement).  *)
Theorem ceiling L : extendable L ->
  mean_length L <= 1 + coverage t F ?= iff [forall v, forall x, L v x == canon v x].
Proof.
case=> L0 L1 LF Lcap; have H := length_reach L1.
have in0 : 0 <= \sum_v \sum_x (onT v x)%:R * L v x.
  by do 2![apply: sumr_ge0 => ? _]; rewrite mulr_ge0 ?ler0n.
have le : mean_length L + \sum_v \sum_x (onT v x)%:R * L v x <= 1 + coverage t F.
  by rewrite H ler_add2l; apply: ler_sum => u; apply: LF.
split; first by apply: le_trans le; rewrite ler_addl.
apply/eqP/idP => [eq|/forallP e]; last first.
  rewrite -canonical_attains; apply: eq_bigr => v _; apply: eq_bigr => x _.
  by move/forallP/(_ x)/eqP: (e v) => ->.
have z : \sum_v \sum_x (onT v x)%:R * L v x = 0.
  by apply/eqP; rewrite eq_le in0 andbT; move: le; rewrite eq -{2}[1 + _]addr0 ler_add2l.
have on0 v x : onT v x -> L v x = 0.
  move=> o; have := z; rewrite pair_big /= => /eqP; rewrite psumr_eq0; last first.
    by move=> ? _; rewrite mulr_ge0 ?ler0n.
  by move/allP/(_ (v, x) (mem_index_enum _)) => /=; rewrite o mul1r => /eqP.
have Lc v x : L v x <= canon v x.
  by rewrite /canon; case: ifP => [/on0 -> //|/negbT]; apply: Lcap.
have : \sum_v \sum_x (canon v x - L v x) == 0.
  by under eq_bigr do rewrite sumrB; rewrite sumrB canon_sum1 L1 subrr.
rewrite pair_big /= psumr_eq0 => [/allP h|? _]; last by rewrite subr_ge0.
apply/forallP => v; apply/forallP => x.
by have := h (v, x) (mem_index_enum _); rewrite /= subr_eq0 eq_sym.
Qed.

(* "The optimum is unique as a law of blocks", hence also its exit law. *)
Theorem canonical_unique L : extendable L -> mean_length L = 1 + coverage t F ->
  forall v x, L v x = canon v x.
Proof.
move=> /ceiling/eq_leif e /eqP; rewrite e => /forallP h v x.
by move/forallP/(_ x)/eqP: (h v).
Qed.
End Ceiling.
