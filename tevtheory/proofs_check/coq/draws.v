(* Independent draws from finite sets: predraw-and-follow, and TEV's exit and bonus. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw stopping walk.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* P(E) for independent draws d i, each o with probability mu i o. *)
Definition prob (R : realFieldType) (I O : finType) (mu : I -> O -> R) (E : pred {ffun I -> O}) :=
  \sum_(d | E d) \prod_i mu i (d i).

Section Draws.
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R).
Hypothesis siblings : forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c'.
Hypothesis F_root : F (root t) = 1.
Hypothesis F_par : forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c).
Hypothesis p_sum : forall v, \sum_x p v x = 1.
Hypothesis p_ge0 : forall v x, 0 <= p v x.

(* "Follow while the token names a child": the child of v at token x, if there is one. *)
Definition child v x := [pick c | ends t tok c v x].

Lemma childP v x c : (child v x == Some c) = ends t tok c v x.
Proof.
rewrite /child; case: pickP => [b h|h]; last by rewrite h.
by apply/eqP/idP => [[<-] //|h']; rewrite (siblings h h').
Qed.

Lemma child_none v x : (child v x == None) = ~~ onT t tok v x.
Proof.
rewrite /child; case: pickP => [b h|h]; first by apply/esym/negbF/existsP; exists b.
by apply/esym/existsP => -[c]; rewrite h.
Qed.

Section Follow.
Variables (I O : finType) (site : V -> I) (mu : I -> O -> R) (draw : V -> O -> X).
Hypothesis site_inj : forall v w, anc t v w -> site v = site w -> v = w.
Hypothesis mu_sum : forall i, \sum_o mu i o = 1.
Hypothesis draw_law : forall v x, \sum_(o | draw v o == x) mu (site v) o = p v x.

Definition follow v o := child v (draw v o).

Lemma follow_child v o c : follow v o = Some c -> c != root t /\ par t c = v.
Proof. by move/eqP; rewrite childP => /and3P[cn /eqP e _]. Qed.

(* "Walk while the drawn token names a child, and emit the first that does not: the
   joint law of exit and token is canonical", wherever the draws come from, as long
   as one path uses no draw twice.                                            *)
Theorem follow_canonical w x :
  prob mu (fun d => (exit t follow site d == w) && (draw w (d (site w)) == x))
  = canon t tok F p w x.
Proof.
pose Q := along t site xpredT (fun c o => follow (par t c) o == Some c) w
  (fun o => (follow w o == None) && (draw w o == x)).
have -> : prob mu (fun d => (exit t follow site d == w) && (draw w (d (site w)) == x))
  = \prod_i \sum_(o | Q i o) mu i o.
  rewrite (bigA_distr_big_dep Q mu); apply: eq_bigl => d.
  by rewrite (exit_product follow_child site_inj d w (fun o => draw w o == x)).
pose q c := p (par t c) (tok c); pose z := if onT t tok w x then 0 else p w x.
rewrite (eq_bigr (along t site 1 q w z)) => [|i _].
  by rewrite (product_size site_inj w z F_root F_par) /z /canon; case: ifP; rewrite ?mulr0.
rewrite /Q /along; case: eqP => [->|_].
  rewrite /z; have [o|o] := boolP (onT t tok w x).
    by apply: big1 => b /andP[n /eqP e]; move: n; rewrite /follow child_none e o.
  rewrite -draw_law; apply: eq_bigl => b; rewrite /follow child_none.
  by have [->|] := eqVneq (draw w b) x; rewrite ?o ?andbF.
case: pickP => [c /and3P[cn _ /eqP <-]|_]; last exact: mu_sum.
rewrite /q -draw_law; apply: eq_bigl => b.
by rewrite /follow childP /ends cn eqxx eq_sym.
Qed.
End Follow.

(* "Predraw and follow": a token at every node, y v with probability p v (y v). *)
Theorem predraw_canonical w x :
  prob p (fun y => (exit t (follow (fun=> id)) id y == w) && (y w == x)) = canon t tok F p w x.
Proof. by apply: (follow_canonical (draw := fun=> id)) => // v y; rewrite big_pred1_eq. Qed.

(* "One draw a depth suffices": noise o at depth k with probability mu k o, from which
   each node of that depth derives a token with its own law (draw v o).          *)
Theorem shared_depth_canonical (O : finType) (mu : 'I_(max_depth t).+1 -> O -> R)
    (draw : V -> O -> X) : (forall k, \sum_o mu k o = 1) ->
  (forall v x, \sum_(o | draw v o == x) mu (inord (depth t v)) o = p v x) -> forall w x,
  prob mu (fun d => (exit t (follow draw) (fun v => inord (depth t v)) d == w)
                    && (draw w (d (inord (depth t w))) == x)) = canon t tok F p w x.
Proof. by move=> m1 dl w x; apply: follow_canonical => //; apply: depth_site. Qed.

(* TEV: an exit w drawn from the exit masses, then a bonus from the row of w without its
   children, divided by its mass (0 where that mass is 0: x / 0 is 0).           *)
Definition outside w := \sum_(x | ~~ onT t tok w x) p w x.
Definition bonus w x := if onT t tok w x then 0 else p w x / outside w.

Lemma exit_outside w : exit_mass t F w = F w * outside w.
Proof. by rewrite -(off_mass siblings F_par p_sum) big_distrr. Qed.

(* "One exit, one bonus": the joint law is canonical, also at exhausted nodes. *)
Theorem tev_canonical w x : exit_mass t F w * bonus w x = canon t tok F p w x.
Proof.
rewrite exit_outside /bonus /canon; case: ifP => [_|/negbT o]; first by rewrite mulr0.
have [z|n] := eqVneq (outside w) 0; last by rewrite -mulrA [outside w * _]mulrC divfK.
have /allP/(_ x (mem_index_enum _)) : all (fun x => ~~ onT t tok w x ==> (p w x == 0)) (index_enum X).
  by rewrite -psumr_eq0 => [|y _]; [apply/eqP|apply: p_ge0].
by rewrite o /= => /eqP ->; rewrite mul0r !mulr0.
Qed.

(* "The bonus is a law wherever an exit is possible." *)
Theorem tev_bonus_sum1 w : exit_mass t F w != 0 -> \sum_x bonus w x = 1.
Proof.
rewrite exit_outside mulf_eq0 => /norP[_ n]; rewrite -(divff n) /outside big_distrl /=.
by rewrite [RHS]big_mkcond; apply: eq_bigr => x _; rewrite /bonus; case: ifP.
Qed.
End Draws.
