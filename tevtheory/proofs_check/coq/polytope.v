(* The exact laws: convex mixtures of the canonical laws of rooted subtrees. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw regret exactlaw stopping subtree.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Mixture.
Variables (R : realFieldType) (V : finType) (t : tree V).
Implicit Types (s : V -> R) (l : seq (R * {set V})) (m : R).

(* Weights and rooted subtrees; the weights sum to m. *)
Definition mixture m l := [/\ forall q, q \in l -> 0 <= q.1,
  forall q, q \in l -> rooted t q.2 & \sum_(q <- l) q.1 = m].

Definition path_sum s w := \sum_(b | (b != root t) && anc t b w) s b.

Lemma path_root s : path_sum s (root t) = 0.
Proof. by rewrite /path_sum big_pred0 // => b; rewrite anc_root andNb. Qed.

Lemma path_par s c : c != root t -> path_sum s c = path_sum s (par t c) + s c.
Proof.
move=> cn; have := alive_par s cn; rewrite /alive -/(path_sum s c) -/(path_sum s (par t c)).
by rewrite -addrA -opprD => /addrI/oppr_inj.
Qed.

Lemma path_ge0 s w : (forall u, u != root t -> 0 <= s u) -> 0 <= path_sum s w.
Proof. by move=> s0; apply: sumr_ge0 => b /andP[bn _]; apply: s0. Qed.

Definition stops s := [set u | (u != root t) && (s u != 0)].

(* One step: the nodes that no positive rate has stopped yet. *)
Definition unstopped s := [set v | path_sum s v == 0].

Lemma unstopped_rooted s : (forall u, u != root t -> 0 <= s u) -> rooted t (unstopped s).
Proof.
move=> s0; split=> [|c cn]; rewrite !inE ?path_root // path_par //.
by rewrite paddr_eq0 ?s0 ?path_ge0 // => /andP[].
Qed.

Lemma leaves_unstopped s u : (forall u, u != root t -> 0 <= s u) ->
  leaves t (unstopped s) u = [&& u != root t, path_sum s (par t u) == 0 & s u != 0].
Proof.
move=> s0; rewrite /leaves !inE -andbA; have [//|un] := eqVneq u (root t); rewrite /=.
by case: eqP => //= e; rewrite path_par // e add0r.
Qed.

(* "Peel off the smallest rate of the topmost nodes": each step zeroes one node. *)
Lemma peel n s m : (#|stops s| <= n)%N ->
  (forall u, u != root t -> 0 <= s u) -> 0 <= m -> (forall w, path_sum s w <= m) ->
  exists2 l, mixture m l &
    forall u, u != root t -> s u = \sum_(q <- l) q.1 * leave_rate R t q.2 u.
Proof.
elim: n s m => [|n IH] s m card s0 m0 pm.
  exists [:: (m, setT)].
    split; rewrite ?big_seq1 // => q; rewrite inE => /eqP -> //.
    by split=> [|c _ _]; rewrite inE.
  move=> u un; rewrite big_seq1 /leave_rate /leaves !inE /= !andbF mulr0.
  move: card; rewrite leqn0 cards_eq0 => /eqP/setP/(_ u); rewrite !inE un /=.
  by move/negbFE/eqP.
pose S := unstopped s; have rS := unstopped_rooted s0.
have [a0 la0|none] := pickP (leaves t S); last first.
  apply: IH => //; suff z u : u != root t -> s u = 0.
    rewrite (_ : stops s = set0) ?cards0 //; apply/setP => u; rewrite !inE.
    by have [//|un] := eqVneq u (root t); rewrite z // eqxx.
  have z0 w : path_sum s w = 0.
    elim/(tree_ind (t := t)): w => [|c cn e]; first exact: path_root.
    have := none c; rewrite leaves_unstopped // cn e eqxx /= => /negbFE/eqP z.
    by rewrite path_par // e z addr0.
  by move=> un; have := path_par s un; rewrite !z0 add0r.
case: (@Order.TotalTheory.arg_minP _ _ _ a0 (leaves t S) s la0) => a la min_a.
have := la; rewrite leaves_unstopped // => /and3P[an pa sa].
pose s' u := s u - s a * leave_rate R t S u.
have w0 : 0 <= s a := s0 a an.
have s'0 u : u != root t -> 0 <= s' u.
  move=> un; rewrite /s' /leave_rate subr_ge0; case: (boolP (leaves t S u)) => [lu|_].
    by rewrite mulr1 min_a.
  by rewrite mulr0 s0.
have p' w : path_sum s' w = path_sum s w - s a * (w \notin S)%:R.
  have := leave_alive R rS w; rewrite /alive -/(path_sum _ w) => e.
  rewrite /path_sum sumrB -big_distrr /= -/(path_sum s w) -/(path_sum (leave_rate R t S) w).
  congr (_ - _ * _); move: e => /eqP; rewrite subr_eq addrC -subr_eq => /eqP <-.
  by case: (w \in S); rewrite ?subrr ?subr0.
have wm : s a <= m by apply: le_trans (pm a); rewrite path_par // ler_addr path_ge0.
have [||w|l [l0 lS lm] ls] := IH s' (m - s a) _ s'0.
- rewrite -ltnS; apply: leq_trans card; apply: proper_card; apply/properP; split.
    apply/subsetP => u; rewrite !inE => /andP[un]; rewrite un /=; apply: contra => /eqP z.
    by rewrite /s' /leave_rate leaves_unstopped // z eqxx !andbF mulr0 subrr.
  by exists a; rewrite !inE ?an ?sa //= /s' /leave_rate la mulr1 subrr eqxx.
- by rewrite subr_ge0.
- rewrite p'; have [wS|wS] /= := boolP (w \in S); last by rewrite mulr1 ler_sub.
  by rewrite mulr0 subr0; move: wS; rewrite inE => /eqP ->; rewrite subr_ge0.
exists ((s a, S) :: l).
  split=> [q|q|]; rewrite ?inE ?big_cons ?lm //=; last by rewrite addrC subrK.
    by case/orP => [/eqP ->|/l0].
  by case/orP => [/eqP ->|/lS].
by move=> u un; rewrite big_cons -ls // /s' addrC subrK.
Qed.

Theorem rates_mixture s : rates t s -> exists2 l, mixture 1 l &
  forall u, u != root t -> s u = \sum_(q <- l) q.1 * leave_rate R t q.2 u.
Proof.
case=> s0 a0; apply: (peel (leqnn _) s0 ler01) => w.
by rewrite -subr_ge0; apply: a0.
Qed.
End Mixture.
