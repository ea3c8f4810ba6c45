(* Walks with uniform coins: running sums, half-open pieces, and boxes of coins.
   The volume of a box is the probability that independent uniform coins lie in it;
   that fact about uniforms is the only step left to the reader.                  *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw stopping walk draws.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Hit.
Variables (R : realFieldType) (T : eqType) (f : T -> R).
Hypothesis f_ge0 : forall x, 0 <= f x.

(* The first of s whose running sum, started at a, exceeds the mark u. *)
Fixpoint hit (a u : R) (s : seq T) : option T :=
  if s is x :: s' then (if u < a + f x then Some x else hit (a + f x) u s') else None.
(* What comes before x in s. *)
Definition before (s : seq T) x : R := \sum_(y <- take (index x s) s) f y.

Lemma before_cons y s x : before (y :: s) x = if y == x then 0 else f y + before s x.
Proof. by rewrite /before /=; case: eqP => _; rewrite ?big_nil ?big_cons. Qed.

(* "The mark hits x iff it lies in the piece [a + before x, a + before x + f x)": the
   pieces are disjoint, follow one another and have length f x.                   *)
Theorem hit_piece s a u x : uniq s -> a <= u ->
  (hit a u s == Some x) = (x \in s) && (a + before s x <= u < a + before s x + f x).
Proof.
elim: s a => [|y s IH] a //= /andP[ys us] au; rewrite before_cons inE [y == x]eq_sym.
move: ys; have [<-|yx] := eqVneq x y => ys.
  rewrite addr0 au /=; case: ifP => [_|/negbT]; first by rewrite eqxx.
  rewrite -leNgt => le; rewrite IH // (negbTE ys) //.
rewrite /= addrA; case: ifP => [lt|/negbT].
  have lo : u < a + f y + before s x by rewrite (lt_le_trans lt) // ler_addl sumr_ge0.
  by rewrite (lt_geF lo) andbF -[Some y == _]/(y == x) eq_sym (negbTE yx).
by rewrite -leNgt => le; rewrite IH.
Qed.

(* "Nothing is hit iff the mark lies beyond the whole sum." *)
Theorem hit_none s a u : a <= u -> (hit a u s == None) = (a + \sum_(y <- s) f y <= u).
Proof.
elim: s a => [|y s IH] a au /=; first by rewrite big_nil addr0 au.
rewrite big_cons addrA; case: ifP => [lt|/negbT]; last by rewrite -leNgt => le; rewrite IH.
apply/esym/negbTE; rewrite -ltNge (lt_le_trans lt) // ler_addl sumr_ge0 //.
Qed.

Lemma hit_in s a u x : hit a u s = Some x -> x \in s.
Proof.
elim: s a => //= y s IH a; case: ifP => [_ [<-]|_ /IH]; rewrite inE ?eqxx // => ->.
by rewrite orbT.
Qed.

Lemma before_le s x : x \in s -> before s x + f x <= \sum_(y <- s) f y.
Proof.
elim: s => //= y s IH; rewrite inE before_cons big_cons eq_sym; case: eqP => [->|_] /= xs.
  by rewrite add0r ler_addl sumr_ge0.
by rewrite -addrA ler_add2l IH.
Qed.
End Hit.

Section Coins.
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R).
Hypothesis siblings : forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c'.
Hypothesis F_root : F (root t) = 1.
Hypothesis F_par : forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c).
Hypothesis p_sum : forall v, \sum_x p v x = 1.
Hypothesis p_ge0 : forall v x, 0 <= p v x.
(* Coins u i in [0, 1), one a node or one a depth (site), never twice on one path. *)
Variables (I : finType) (site : V -> I).
Hypothesis site_inj : forall v w, anc t v w -> site v = site w -> v = w.
Definition coins (u : I -> R) := forall i, 0 <= u i < 1.
(* A box of coins, by the (start, length) of each coin's piece; its volume. *)
Definition in_box (b : I -> R * R) (u : I -> R) :=
  forall i, (b i).1 <= u i < (b i).1 + (b i).2.
Definition volume (b : I -> R * R) := \prod_i (b i).2.

(* The children of v in any order. *)
Variable kids : V -> seq V.
Hypothesis kids_uniq : forall v, uniq (kids v).
Hypothesis kidsE : forall v c, (c \in kids v) = (c != root t) && (par t c == v).

(* One coin against the children's running sum: the first child that exceeds it. *)
Definition coin_step v u := hit (fun c => p v (tok c)) 0 u (kids v).

Lemma coin_step_child v u c : coin_step v u = Some c -> c != root t /\ par t c = v.
Proof. by move/hit_in; rewrite kidsE => /andP[cn /eqP]. Qed.

Lemma kids_sum (f : V -> R) v : \sum_(c <- kids v) f c = \sum_(c | (c != root t) && (par t c == v)) f c.
Proof. by rewrite big_uniq //=; apply: eq_bigl => c; rewrite kidsE. Qed.

(* The coins that exit at w: on the way each in the piece of the next child, at w
   beyond the children's sum.                                                   *)
Definition kid_mass w := \sum_(c <- kids w) p w (tok c).
Definition exit_box w := along t site (0, 1)
  (fun c => (before (fun b => p (par t c) (tok b)) (kids (par t c)) c, p (par t c) (tok c)))
  w (kid_mass w, 1 - kid_mass w).

(* "TEV's walk and the cumulative walk": the coins that lead to the exit w fill a box
   whose volume is the exit mass of w; an independent draw from the row without the
   children then gives the canonical law.                                                   *)
Theorem coin_walk_box w u : coins u ->
  exit t coin_step site u == w <-> in_box (exit_box w) u.
Proof.
move=> u01; have := exit_product coin_step_child site_inj u w xpredT; rewrite andbT => ->.
have e i : along t site xpredT (fun c o => coin_step (par t c) o == Some c) w
    (fun o => (coin_step w o == None) && true) i (u i)
  = ((exit_box w i).1 <= u i < (exit_box w i).1 + (exit_box w i).2).
  have /andP[u0 u1] := u01 i; rewrite /exit_box /along; case: eqP => _ /=.
    by rewrite andbT /coin_step hit_none // add0r addrC subrK u1 andbT.
  case: pickP => [c /and3P[cn _ _]|_] /=; last by rewrite add0r u0 u1.
  by rewrite /coin_step hit_piece // kidsE cn eqxx !add0r.
by split=> [/forallP h i|h]; [rewrite -e|apply/forallP => i; rewrite e].
Qed.

Theorem coin_walk_volume w : volume (exit_box w) = exit_mass t F w.
Proof.
pose q c := p (par t c) (tok c).
rewrite /volume (eq_bigr (along t site 1 q w (1 - kid_mass w))) => [|i _]; last first.
  by rewrite /exit_box /along; case: eqP => // _; case: pickP.
rewrite (product_size site_inj w _ F_root F_par) /exit_mass mulrBr mulr1; congr (_ - _).
rewrite /kid_mass kids_sum big_distrr; apply: eq_bigr => c /andP[cn /eqP e].
by rewrite (F_par cn) e.
Qed.

Theorem coin_walk_canonical w x : volume (exit_box w) * bonus t tok p w x = canon t tok F p w x.
Proof. by rewrite coin_walk_volume tev_canonical. Qed.

(* Seed-synchronous: the token whose piece of the row, in vocabulary order, holds the coin. *)
Definition low v x := before (p v) (enum X) x.
Definition inverse v u := hit (p v) 0 u (enum X).
Definition seed_step v u := obind (child t tok v) (inverse v u).

(* "The pieces of a row's tokens partition [0, 1), and have lengths p v x." *)
Theorem inverse_piece v x u : 0 <= u ->
  (inverse v u == Some x) = (low v x <= u < low v x + p v x).
Proof. by move=> u0; rewrite /inverse hit_piece ?enum_uniq // mem_enum !add0r. Qed.

Theorem inverse_total v u : 0 <= u < 1 -> inverse v u != None.
Proof. by case/andP=> u0 u1; rewrite /inverse hit_none // add0r big_enum p_sum -ltNge. Qed.

Lemma seed_step_child v u c : seed_step v u = Some c -> c != root t /\ par t c = v.
Proof.
rewrite /seed_step; case: (inverse v u) => //= x; rewrite /child; case: pickP => // b h [<-].
by case/and3P: h => bn /eqP.
Qed.

Definition seed_box w x := along t site (0, 1)
  (fun c => (low (par t c) (tok c), p (par t c) (tok c))) w (low w x, p w x).

(* "Seed-synchronous": the coins that lead to the exit w and the off-tree token x fill a
   box whose volume is the canonical law of (w, x).                               *)
Theorem seed_box_exact w x u : coins u -> ~~ onT t tok w x ->
  (exit t seed_step site u == w) && (inverse w (u (site w)) == Some x)
  <-> in_box (seed_box w x) u.
Proof.
move=> u01 o; rewrite (exit_product seed_step_child site_inj u w (fun o => inverse w o == Some x)).
have e i : along t site xpredT (fun c o => seed_step (par t c) o == Some c) w
    (fun o => (seed_step w o == None) && (inverse w o == Some x)) i (u i)
  = ((seed_box w x i).1 <= u i < (seed_box w x i).1 + (seed_box w x i).2).
  have /andP[u0 u1] := u01 i; rewrite /seed_box /along; case: eqP => _ /=.
    rewrite -inverse_piece // /seed_step; case: (inverse w (u i) =P Some x) => [->|_]; rewrite ?andbF // andbT.
    by rewrite (child_none t tok w x) o.
  case: pickP => [c /and3P[cn _ _]|_] /=; last by rewrite add0r u0 u1.
  rewrite -inverse_piece // /seed_step; case: inverse => //= y.
  rewrite (childP siblings) /ends cn eqxx /= eq_sym //.
by split=> [/forallP h i|h]; [rewrite -e|apply/forallP => i; rewrite e].
Qed.

(* A tree token is never emitted: its coin goes on to the child. *)
Theorem seed_off_tree w x u : onT t tok w x ->
  ~~ ((exit t seed_step site u == w) && (inverse w (u (site w)) == Some x)).
Proof.
move=> o; rewrite (exit_at site seed_step_child) /seed_step; apply/negP => /andP[/andP[_ st] /eqP e].
by move: st; rewrite e /= child_none o.
Qed.

Theorem seed_volume w x : ~~ onT t tok w x -> volume (seed_box w x) = canon t tok F p w x.
Proof.
move=> /negbTE o; pose q c := p (par t c) (tok c).
rewrite /volume (eq_bigr (along t site 1 q w (p w x))) => [|i _]; last first.
  by rewrite /seed_box /along; case: eqP => // _; case: pickP.
by rewrite (product_size site_inj w _ F_root F_par) /canon o.
Qed.
End Coins.
