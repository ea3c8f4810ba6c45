(* Verifiers that walk down the tree with independent draws have the canonical law. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw stopping.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A walk: [step v o] is the child of v that the draw o names, or None (stop at v).
   [site v] is the draw that v uses: its own, or that of its depth.             *)
Section Walk.
Variables (V : finType) (t : tree V) (O : Type) (step : V -> O -> option V).
Variables (I : finType) (site : V -> I).
Hypothesis step_child : forall v o c, step v o = Some c -> c != root t /\ par t c = v.
Implicit Types (d : I -> O) (v w c : V).

Definition next d v := odflt v (step v (d (site v))).
Definition max_depth := \max_v depth t v.
(* The exit node: walk down from the root until a draw says stop. *)
Definition exit d := iter max_depth (next d) (root t).

Definition edge d c := step (par t c) (d (site (par t c))) == Some c.
Definition taken d w := [forall c, (c != root t) && anc t c w ==> edge d c].

Lemma taken_root d : taken d (root t).
Proof. by apply/forallP => c; rewrite anc_root andNb. Qed.

Lemma taken_par d c : c != root t -> taken d c = taken d (par t c) && edge d c.
Proof.
move=> cn; apply/forallP/andP => [h|[/forallP h e] b].
  split; last by have := h c; rewrite cn anc_refl.
  by apply/forallP => b; have := h b; rewrite (anc_par _ cn); case: anc; rewrite ?orbT ?andbF.
apply/implyP => /andP[bn]; rewrite (anc_par _ cn) => /orP[/eqP -> //|a].
by have := h b; rewrite bn a.
Qed.

Lemma anc_up c w : c != root t -> anc t c w -> anc t (par t c) w.
Proof.
move=> cn; elim/(tree_ind (t := t)): w => [|b bn IH]; first by rewrite anc_root (negbTE cn).
rewrite !(anc_par _ bn) => /orP[/eqP ->|/IH ->]; last by rewrite orbT.
by rewrite anc_refl orbT.
Qed.

Lemma depth_step d v c : step v (d (site v)) = Some c -> depth t c = (depth t v).+1.
Proof. by case/step_child => cn <-; apply: depth_par. Qed.

Lemma iter_taken d n : taken d (iter n (next d) (root t)).
Proof.
elim: n => [|n IH]; first exact: taken_root.
rewrite iterS; set v := iter _ _ _ in IH *; rewrite {1}/next.
case e: (step v _) => [c|] //=; have [cn cv] := step_child e.
by rewrite taken_par // cv IH /edge cv e eqxx.
Qed.

Lemma iter_depth d n c : let v := iter n (next d) (root t) in
  step v (d (site v)) = Some c -> depth t v = n.
Proof.
elim: n c => [|n IH] c; first by rewrite /= depth_root.
rewrite iterS; move: IH; set v := iter _ _ _ => /= IH; rewrite {1 2 3}/next.
case e: (step v _) => [b|] /=; last by rewrite e.
by move=> _; rewrite (depth_step e) (IH b e).
Qed.

Lemma taken_iter d w : taken d w -> iter (depth t w) (next d) (root t) = w.
Proof.
elim/(tree_ind (t := t)): w => [|c cn IH]; first by rewrite depth_root.
rewrite taken_par // => /andP[/IH e s]; rewrite (depth_par cn) iterS e /next.
by rewrite (eqP s).
Qed.

(* "The walk exits at w iff every edge down to w is drawn, and w's own draw says stop." *)
Theorem exit_at d w : (exit d == w) = taken d w && (step w (d (site w)) == None).
Proof.
apply/eqP/andP => [<-|[tk /eqP st]].
  split; first exact: iter_taken.
  case e: (step _ _) => [c|] //; have := iter_depth e => dn.
  have := leq_bigmax (F := depth t) c; rewrite (depth_step e) -/max_depth.
  by rewrite -/(exit d) in dn *; rewrite dn ltnn.
have le : (depth t w <= max_depth)%N := leq_bigmax w.
rewrite /exit -(subnK le) iterD taken_iter //; elim: (_ - _)%N => //= n ->.
by rewrite /next st.
Qed.

(* One draw a depth: no path uses it twice. *)
Theorem depth_site v w : anc t v w ->
  inord (depth t v) = inord (depth t w) :> 'I_max_depth.+1 -> v = w.
Proof.
move=> a /(congr1 (@nat_of_ord _)); have le c : (depth t c < max_depth.+1)%N.
  by rewrite ltnS; apply: leq_bigmax.
by rewrite !inordK // => e; move: a; rewrite /anc e leqnn subnn /= => /eqP <-.
Qed.

(* [along k e w z]: per draw a value: z for w's, e c for the one that names the node c
   on the way to w, and k for the draws that do not matter.                       *)
Definition along (T : Type) (k : T) (e : V -> T) w (z : T) (i : I) : T :=
  if i == site w then z else
  if [pick c | [&& c != root t, anc t c w & site (par t c) == i]] is Some c then e c else k.

(* One path uses no draw twice. *)
Hypothesis site_inj : forall v w, anc t v w -> site v = site w -> v = w.

Lemma along_off T (k : T) e w z i : (forall v, anc t v w -> site v != i) -> along k e w z i = k.
Proof.
move=> h; rewrite /along eq_sym (negbTE (h w (anc_refl t w))).
case: pickP => [c /and3P[cn a /eqP s]|] //; by have := h _ (anc_up cn a); rewrite s eqxx.
Qed.

Lemma along_par T (k : T) e c z i : c != root t ->
  along k e c z i = if i == site c then z else along k e (par t c) (e c) i.
Proof.
move=> cn; rewrite /along; case: (i =P site c) => // ic.
have [->|ip] := eqVneq i (site (par t c)).
  case: pickP => [b /and3P[bn ab /eqP sb]|/(_ c)]; last by rewrite cn anc_refl eqxx.
  move: ab; rewrite (anc_par _ cn) => /orP[/eqP -> //|ab].
  have pb : anc t (par t b) (par t c) by apply: (anc_up bn ab).
  by have := anc_self_par bn; rewrite (site_inj pb sb) ab.
rewrite (eq_pick (Q := fun b => [&& b != root t, anc t b (par t c) & site (par t b) == i])) //.
move=> b /=; rewrite (anc_par _ cn); have [->|_] //= := eqVneq b c.
by rewrite [site _ == i]eq_sym (negbTE ip) !andbF.
Qed.

Lemma along_root T (k : T) e z i :
  along k e (root t) z i = if i == site (root t) then z else k.
Proof.
rewrite /along; case: eqP => // _; case: pickP => [c|//].
by case/and3P=> cn; rewrite anc_root (negbTE cn).
Qed.

Lemma taken_product d w (z : pred O) : taken d w && z (d (site w)) =
  [forall i, along xpredT (fun c o => step (par t c) o == Some c) w z i (d i)].
Proof.
set e := fun c => _; elim/(tree_ind (t := t)): w z => [|c cn IH] z.
  rewrite taken_root /=; apply/idP/forallP => [h i|/(_ (site (root t)))].
    by rewrite along_root; case: eqP => // ->.
  by rewrite along_root eqxx.
rewrite taken_par // -/(e c (d _)) (IH (e c)).
have off : along xpredT e (par t c) (e c) (site c) = xpredT.
  apply: along_off => v a; apply/eqP => s; have vc : anc t v c by rewrite anc_par // a orbT.
  by move: a; rewrite (site_inj vc s) anc_self_par.
apply/andP/forallP => [[/forallP h zc] i|h].
  by rewrite along_par //; case: eqP => // ->.
split; last by have := h (site c); rewrite along_par // eqxx.
apply/forallP => i; have := h i; rewrite along_par //; case: eqP => // -> _.
by rewrite off.
Qed.

(* "The draws that lead to the exit w with property E of its own draw form a product
   set": each draw is restricted on its own.                                    *)
Theorem exit_product d w (E : pred O) : (exit d == w) && E (d (site w)) =
  [forall i, along xpredT (fun c o => step (par t c) o == Some c) w
               (fun o => (step w o == None) && E o) i (d i)].
Proof. by rewrite -taken_product exit_at -andbA. Qed.

(* "The size of that product set": the flow of w times what its own draw contributes. *)
Theorem product_size (R : comRingType) (F : V -> R) (q : V -> R) w z : F (root t) = 1 ->
  (forall c, c != root t -> F c = F (par t c) * q c) ->
  \prod_i along 1 q w z i = F w * z.
Proof.
move=> F1 Fp; elim/(tree_ind (t := t)): w z => [|c cn IH] z.
  rewrite (bigD1 (site (root t))) //= along_root eqxx F1 mul1r big1 ?mulr1 // => i /negbTE ni.
  by rewrite along_root ni.
rewrite (bigD1 (site c)) //= along_par // eqxx Fp // -(IH (q c)) mulrC; congr (_ * _).
rewrite [RHS](bigD1 (site c)) //= along_off ?mul1r; last first.
  move=> v a; apply/eqP => s; have vc : anc t v c by rewrite anc_par // a orbT.
  by move: a; rewrite (site_inj vc s) anc_self_par.
by apply: eq_bigr => i /negbTE ni; rewrite along_par // ni.
Qed.
End Walk.
