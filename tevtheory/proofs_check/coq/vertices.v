(* The polytope of exact laws: its points are the mixtures of canonical laws of rooted
   subtrees, its vertices are these laws.                                         *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw regret exactlaw stopping subtree polytope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Vertices.
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R).
Hypothesis siblings : forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c'.
Hypothesis F_root : F (root t) = 1.
Hypothesis F_par : forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c).
Hypothesis p_sum : forall v, \sum_x p v x = 1.
Hypothesis p_ge0 : forall v x, 0 <= p v x.
Implicit Types (L : V -> X -> R) (l : seq (R * {set V})).
Notation exact := (exact t tok p).
Notation sub_canon := (sub_canon t tok F p).

(* "Pick a rooted subtree at random, then run its canonical verifier." *)
Definition mixed l v x := \sum_(q <- l) q.1 * sub_canon q.2 v x.

(* "Every exact law is a mixture of canonical laws of rooted subtrees." *)
Theorem exact_mixture L : exact L -> exists2 l, mixture t 1 l & forall v x, L v x = mixed l v x.
Proof.
move=> Lx; have [s rs [Lc Lo]] := exact_stopped F_root F_par p_ge0 Lx.
have [l ml sl] := rates_mixture rs; exists l => // v x; have [_ lS l1] := ml.
have [/existsP[c /and3P[cn /eqP <- /eqP <-]]|o] := boolP (onT t tok v x).
  rewrite -/(at_node t tok L c) Lc // /beta sl // big_distrr /= /mixed !big_seq.
  apply: eq_bigr => q /lS rq; have [e _] := sub_stopped siblings F_par rq.
  by rewrite -/(at_node t tok (sub_canon q.2) c) e // /beta mulrCA.
rewrite Lo //; have -> : alive t s v = \sum_(q <- l) q.1 * alive t (leave_rate R t q.2) v.
  rewrite /alive (eq_bigr _ (fun b h => sl b (proj1 (andP h)))) exchange_big /= -{1}l1 -sumrB.
  by apply: eq_bigr => q _; rewrite mulrBr mulr1 big_distrr.
rewrite big_distrr /= /mixed !big_seq; apply: eq_bigr => q /lS rq.
by have [_ e] := sub_stopped siblings F_par rq; rewrite e // mulrCA.
Qed.

(* "Every such mixture is exact." *)
Theorem mixture_exact l : mixture t 1 l -> exact (mixed l).
Proof.
case=> l0 lS l1; have ex q : q \in l -> exact (sub_canon q.2).
  by move/lS; apply: sub_exact.
have es v : strict t (mixed l) v = \sum_(q <- l) q.1 * strict t (sub_canon q.2) v.
  rewrite /strict /mixed; under eq_bigr do rewrite exchange_big /=.
  rewrite exchange_big /=; apply: eq_bigr => q _; rewrite big_distrr /=.
  by apply: eq_bigr => w _; rewrite big_distrr.
split=> [v x||c cn|v x o].
- rewrite /mixed big_seq sumr_ge0 // => q ql; have [L0 _ _ _] := ex q ql.
  by rewrite mulr_ge0 ?l0.
- have := es (root t); rewrite {1}/strict (eq_bigl _ _ (anc_of_root t)) => ->.
  rewrite -[RHS]l1 !big_seq; apply: eq_bigr => q ql.
  by rewrite (strict_root (ex q ql)) mulr1.
- rewrite !es /at_node /mixed big_distrr -big_split /= !big_seq; apply: eq_bigr => q ql.
  by have [_ _ Lc _] := ex q ql; rewrite -mulrDr Lc // mulrCA.
rewrite es /mixed big_distrr /= !big_seq; apply: eq_bigr => q ql.
by have [_ _ _ Lo] := ex q ql; rewrite Lo // mulrCA.
Qed.

(* A vertex: an exact law that is no proper mixture of two different exact laws. *)
Definition vertex L := exact L /\ forall L1 L2 (a : R), exact L1 -> exact L2 -> 0 < a < 1 ->
  (forall v x, L v x = a * L1 v x + (1 - a) * L2 v x) -> forall v x, L1 v x = L v x.

Lemma vertex_mixed l L : vertex L -> mixture t 1 l -> (forall v x, L v x = mixed l v x) ->
  exists2 S, rooted t S & forall v x, L v x = sub_canon S v x.
Proof.
move=> [Lx vL]; move: {2}(size l) (leqnn (size l)) => n.
elim: n l => [|n IH] [|[w S] l] // le [l0 lS l1] e.
- by move: l1; rewrite big_nil => /eqP; rewrite eq_sym oner_eq0.
- by move: l1; rewrite big_nil => /eqP; rewrite eq_sym oner_eq0.
have in_l q : q \in l -> q \in (w, S) :: l by rewrite inE orbC => ->.
have w0 : 0 <= w by apply: (l0 (w, S)); rewrite inE eqxx.
have rS : rooted t S by apply: (lS (w, S)); rewrite inE eqxx.
have rest : \sum_(q <- l) q.1 = 1 - w by rewrite -l1 big_cons addrAC subrr add0r.
have mix v x : L v x = w * sub_canon S v x + mixed l v x by rewrite e /mixed big_cons.
have [z|wn] := eqVneq w 0.
  apply: (IH l) => // [|v x]; last by rewrite mix z mul0r add0r.
  by split=> [q /in_l /l0|q /in_l /lS|] //; rewrite rest z subr0.
have [w1|w1] := eqVneq w 1.
  exists S => // v x; rewrite mix w1 mul1r /mixed big_seq big1 ?addr0 // => q ql.
  have /allP/(_ q ql) : all (fun q => (q \in l) ==> (q.1 == 0)) l.
    rewrite -psumr_eq0 => [|r rl]; last exact: l0 (in_l r rl).
    by rewrite -big_seq rest w1 subrr.
  by rewrite ql => /eqP ->; rewrite mul0r.
have b0 : 0 < 1 - w.
  rewrite lt_neqAle eq_sym subr_eq0 eq_sym w1 -rest big_seq sumr_ge0 // => q ql.
  exact: l0 (in_l q ql).
pose l' := [seq (q.1 / (1 - w), q.2) | q <- l].
have ml' : mixture t 1 l'.
  split=> [q /mapP[r /in_l /l0 r0 ->]|q /mapP[r /in_l /lS rr ->]|] //=.
    by rewrite divr_ge0 // ltW.
  by rewrite big_map /= -big_distrl /= rest divff // gt_eqF.
exists S => // v x; apply/esym.
apply: (vL (sub_canon S) (mixed l') w) => [|||v' x'].
- exact: sub_exact.
- exact: mixture_exact.
- by rewrite lt_neqAle eq_sym wn w0 -subr_gt0.
rewrite mix; congr (_ + _); rewrite /mixed big_map big_distrr /=; apply: eq_bigr => q _.
by rewrite mulrA [(1 - w) * _]mulrC divfK // gt_eqF.
Qed.

(* "The vertices are exactly the canonical laws of the rooted subtrees." *)
Theorem vertex_iff L :
  vertex L <-> exists2 S, rooted t S & forall v x, L v x = sub_canon S v x.
Proof.
split=> [vL|[S rS e]].
  by have [l ml el] := exact_mixture (proj1 vL); apply: (vertex_mixed vL ml el).
split=> [|L1 L2 a E1 E2 a01 mix v x].
  apply: (stopped_exact siblings F_root F_par p_sum p_ge0 (leave_rates R rS)).
  have [Lc Lo] := sub_stopped siblings F_par rS.
  by split=> [c cn|v x o]; [rewrite /at_node e; apply: Lc|rewrite e Lo].
have [|-> _] := sub_extreme F_root F_par p_ge0 rS E1 E2 a01 _ v x => //.
by move=> v' x'; rewrite -e.
Qed.

(* "The dimension is the number of nodes c != root with F c > 0": an exact law is given by
   its masses on these, and stopping at c alone moves the mass of c alone.         *)
Theorem exact_determined L1 L2 : exact L1 -> exact L2 ->
  (forall c, c != root t -> 0 < F c -> at_node t tok L1 c = at_node t tok L2 c) ->
  forall v x, L1 v x = L2 v x.
Proof.
move=> E1 E2 e; have [_ _ c1 o1] := E1; have [_ _ c2 o2] := E2.
have en c : c != root t -> at_node t tok L1 c = at_node t tok L2 c.
  move=> cn; have [/(e c cn) //|F0] := ltP 0 (F c).
  have z L : exact L -> at_node t tok L c = 0.
    move/(exact_le F_root F_par p_ge0 (par t c) (tok c)); rewrite -F_par // => /andP[L0 LF].
    by apply/eqP; rewrite eq_le L0 andbT (le_trans LF).
  by rewrite !z.
have es v : strict t L1 v = strict t L2 v.
  elim/(tree_ind (t := t)): v => [|c cn IH]; first by rewrite (strict_root E1) (strict_root E2).
  by apply: (addIr (at_node t tok L1 c)); rewrite c1 // IH -c2 // en.
move=> v x; have [/existsP[c /and3P[cn /eqP <- /eqP <-]]|o] := boolP (onT t tok v x).
  exact: en.
by rewrite o1 // o2 // es.
Qed.

Theorem cut_one c : c != root t -> let S := [set v | ~~ anc t c v] in
  rooted t S /\ forall d, d != root t -> at_node t tok (sub_canon S) d = if d == c then F c else 0.
Proof.
move=> cn S; split.
  split=> [|b bn]; rewrite !inE ?anc_root // anc_par // negb_or => /andP[] //.
move=> d dn; rewrite sub_node // !inE negbK (anc_par _ dn) eq_sym.
have [->|_] := eqVneq d c; first by rewrite anc_self_par.
by rewrite /= andNb.
Qed.
End Vertices.
