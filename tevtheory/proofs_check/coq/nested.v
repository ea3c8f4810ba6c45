(* Nested intervals: one uniform names the exit and the bonus. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw stopping walk draws coins.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Nested.
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R).
Hypothesis siblings : forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c'.
Hypothesis F_root : F (root t) = 1.
Hypothesis F_par : forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c).
Hypothesis p_sum : forall v, \sum_x p v x = 1.
Hypothesis p_ge0 : forall v x, 0 <= p v x.
Variable kids : V -> seq V.
Hypothesis kids_uniq : forall v, uniq (kids v).
Hypothesis kidsE : forall v c, (c \in kids v) = (c != root t) && (par t c == v).

(* v owns [lo v, lo v + F v): the root [0, 1), and the children of a node come one after
   another from the start of its interval.                                        *)
Definition skipped c := if c == root t then 0 else before F (kids (par t c)) c.
Definition lo v := \sum_(c | anc t c v) skipped c.
Definition own v u := lo v <= u < lo v + F v.
Definition kids_flow v := \sum_(c <- kids v) F c.

(* Walk down while a child's interval holds u. *)
Definition nested_step v u := hit F (lo v) u (kids v).
Definition nested_exit u := exit t nested_step (fun=> tt) (fun=> u).

Lemma F_ge0 v : 0 <= F v.
Proof.
elim/(tree_ind (t := t)): v => [|c cn IH]; first by rewrite F_root ler01.
by rewrite F_par // mulr_ge0.
Qed.

Lemma lo_root : lo (root t) = 0.
Proof. by rewrite /lo sum_anc_root /skipped eqxx. Qed.

Lemma lo_par c : c != root t -> lo c = lo (par t c) + before F (kids (par t c)) c.
Proof. by move=> cn; rewrite /lo sum_anc // {1}/skipped (negbTE cn) addrC. Qed.

Lemma kids_flowE v : kids_flow v = F v - exit_mass t F v.
Proof.
rewrite /exit_mass opprB addrCA subrr addr0 /kids_flow big_uniq //=.
by apply: eq_bigl => c; rewrite kidsE.
Qed.

Lemma kids_flow_le v : kids_flow v <= F v.
Proof.
rewrite kids_flowE ler_subl_addr ler_addl -(off_mass siblings F_par p_sum).
by apply: sumr_ge0 => x _; rewrite mulr_ge0 ?F_ge0.
Qed.

Lemma step_own v c u : lo v <= u ->
  (nested_step v u == Some c) = [&& c != root t, par t c == v & own c u].
Proof.
move=> le; rewrite /nested_step (hit_piece F_ge0) //.
rewrite kidsE -andbA; have [->|cn] //= := eqVneq c (root t).
by case: eqP => //= <-; rewrite /own (lo_par cn).
Qed.

Lemma nested_child v u c : nested_step v u = Some c -> c != root t /\ par t c = v.
Proof. by rewrite /nested_step => /hit_in; rewrite kidsE => /andP[cn /eqP]. Qed.

(* "A child's interval lies inside its parent's." *)
Theorem nested_inside c u : c != root t -> own c u -> own (par t c) u.
Proof.
move=> cn /andP[l h]; move: l h; rewrite lo_par // => l h.
have ck : c \in kids (par t c) by rewrite kidsE cn eqxx.
rewrite /own (le_trans _ l) ?ler_addl ?sumr_ge0 //= => [|? _]; last exact: F_ge0.
apply: (lt_le_trans h); rewrite -addrA ler_add2l; apply: le_trans (kids_flow_le _).
exact: (before_le F_ge0).
Qed.

Lemma own_taken u w : 0 <= u < 1 -> taken t nested_step (fun=> tt) (fun=> u) w = own w u.
Proof.
move=> u01; elim/(tree_ind (t := t)): w => [|c cn IH].
  by rewrite taken_root /own lo_root F_root add0r u01.
rewrite taken_par // IH /edge; apply/andP/idP => [[/andP[le _]]|o].
  by rewrite step_own // cn eqxx.
have op := nested_inside cn o; split=> //; case/andP: op => le _.
by rewrite step_own // cn eqxx.
Qed.

(* "The walk exits at w iff u lies in the interval of w but beyond those of its children":
   an interval of length exit_mass w.                                              *)
Theorem nested_exit_at u w : 0 <= u < 1 ->
  (nested_exit u == w) = (lo w + kids_flow w <= u < lo w + F w).
Proof.
move=> u01; rewrite /nested_exit (exit_at (fun=> tt) nested_child) own_taken //.
rewrite /own; have [le|lt] := leP (lo w) u; last first.
  by symmetry; apply/negbTE; rewrite negb_and -ltNge (lt_le_trans lt) // ler_addl sumr_ge0 // => ? _; apply: F_ge0.
rewrite /nested_step (hit_none F_ge0) //.
by rewrite /= andbC.
Qed.

Theorem nested_length w : lo w + F w - (lo w + kids_flow w) = exit_mass t F w.
Proof. by rewrite kids_flowE opprD addrACA subrr add0r opprB addrC subrK. Qed.

(* "Exactly one node's rest holds u." *)
Theorem nested_unique u : 0 <= u < 1 ->
  exists! w, lo w + kids_flow w <= u < lo w + F w.
Proof.
move=> u01; exists (nested_exit u); split; first by rewrite -nested_exit_at ?eqxx.
by move=> w; rewrite -nested_exit_at // => /eqP.
Qed.

(* The rest of w is cut into the pieces of its bonus tokens, of length F w * p w x. *)
Definition bonus_tokens w := [seq x <- enum X | ~~ onT t tok w x].
Definition rest_start w := lo w + kids_flow w.
Definition nested_bonus w u := hit (fun x => F w * p w x) (rest_start w) u (bonus_tokens w).
Definition bonus_start w x := rest_start w + before (fun y => F w * p w y) (bonus_tokens w) x.

Lemma rest_end w : rest_start w + \sum_(x <- bonus_tokens w) F w * p w x = lo w + F w.
Proof.
rewrite big_filter big_enum_cond /= (off_mass siblings F_par p_sum).
by rewrite /rest_start kids_flowE -addrA subrK.
Qed.

(* "The uniforms that lead to the exit w and the bonus x form an interval of length
   F w * p w x, the canonical law of (w, x)."                                      *)
Theorem nested_piece u w x : 0 <= u < 1 -> ~~ onT t tok w x ->
  (nested_exit u == w) && (nested_bonus w u == Some x)
  = (bonus_start w x <= u < bonus_start w x + canon t tok F p w x).
Proof.
move=> u01 o; have g0 y : 0 <= F w * p w y by rewrite mulr_ge0 ?F_ge0.
have xb : x \in bonus_tokens w by rewrite mem_filter o mem_enum.
have ub : uniq (bonus_tokens w) by rewrite filter_uniq ?enum_uniq.
rewrite nested_exit_at // /canon (negbTE o) /bonus_start -/(rest_start w) /nested_bonus.
set b := before _ _ _; have b0 : 0 <= b by rewrite sumr_ge0.
have end_ : rest_start w + b + F w * p w x <= lo w + F w.
  by rewrite -rest_end -addrA ler_add2l (before_le g0).
have [le|lt] := leP (rest_start w) u; last first.
  by symmetry; apply/negbTE; rewrite negb_and -ltNge (lt_le_trans lt) // ler_addl.
rewrite (hit_piece g0) // xb /=; case/boolP: (rest_start w + b <= u) => _; rewrite ?andbF //=.
by case/boolP: (u < _ + F w * p w x) => [lt|_]; rewrite ?andbF // (lt_le_trans lt).
Qed.

(* "A bonus is always found." *)
Theorem nested_total u : 0 <= u < 1 -> nested_bonus (nested_exit u) u != None.
Proof.
move=> u01; have := nested_exit_at (nested_exit u) u01; rewrite eqxx => /esym/andP[le lt].
have g0 y : 0 <= F (nested_exit u) * p (nested_exit u) y by rewrite mulr_ge0 ?F_ge0.
by rewrite /nested_bonus (hit_none g0) // rest_end -ltNge.
Qed.
End Nested.
