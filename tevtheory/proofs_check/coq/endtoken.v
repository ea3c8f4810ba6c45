(* The ceiling with an end-of-sequence token. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw exactlaw subtree.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section EndToken.
Variables (R : realFieldType) (V X : finType) (t : tree V) (tok : V -> X).
Variables (F : V -> R) (p : V -> X -> R) (eos : pred X).
Hypothesis siblings : forall v x c c', ends t tok c v x -> ends t tok c' v x -> c = c'.
Hypothesis F_root : F (root t) = 1.
Hypothesis F_par : forall c, c != root t -> F c = F (par t c) * p (par t c) (tok c).
Hypothesis p_sum : forall v, \sum_x p v x = 1.
Hypothesis p_ge0 : forall v x, 0 <= p v x.

(* Nodes at or below an end token; the others, the live ones. *)
Definition ended v := [exists c, [&& c != root t, anc t c v & eos (tok c)]].
Definition live := [set v | ~~ ended v].
(* An exact law whose blocks do not go on past an end token.  (At ended nodes exactness
   then says 0 = 0, so the rows of p there do not matter.)                         *)
Definition exact_eos L := exact t tok p L /\ forall v x, ended v -> L v x = 0.

Lemma ended_par c : c != root t -> ended c = ended (par t c) || eos (tok c).
Proof.
move=> cn; apply/existsP/orP => [[b /and3P[bn]]|[/existsP[b /and3P[bn a e]]|e]].
- rewrite (anc_par _ cn) => /orP[/eqP -> //|a e]; first by right.
  by left; apply/existsP; exists b; rewrite bn a.
- by exists b; rewrite bn (anc_par _ cn) a orbT.
by exists c; rewrite cn anc_refl.
Qed.

Lemma live_rooted : rooted t live.
Proof.
split=> [|c cn]; first by rewrite inE; apply/existsP => -[c]; rewrite anc_root andbA andNb.
by rewrite !inE ended_par // negb_or => /andP[].
Qed.

Lemma ended_strict L v : exact_eos L -> ended v -> strict t L v = 0.
Proof.
case=> _ z ev; apply: big1 => w a; apply: big1 => x _; apply: z.
elim/(tree_ind (t := t)): w a => [|c cn IH]; first by rewrite anc_root => /eqP <-.
by rewrite (anc_par _ cn) => /orP[/eqP <- //|/IH e]; rewrite ended_par // e.
Qed.

Lemma strict_le L v : exact t tok p L -> strict t L v <= F v.
Proof.
move=> Lx; case: (Lx) => L0 _ Lc _; elim/(tree_ind (t := t)): v => [|c cn IH].
  by rewrite (strict_root Lx) F_root.
apply: (@le_trans _ _ (strict t L c + at_node t tok L c)); first by rewrite ler_addl L0.
by rewrite Lc // F_par // mulrC ler_wpmul2r.
Qed.

(* "With an end token the ceiling is the flow of the nodes not at or below one", and
   only the canonical law of the live subtree attains it.                          *)
Theorem eos_ceiling L : exact_eos L ->
  mean_length t L <= \sum_(v | ~~ ended v) F v
  ?= iff [forall v, forall x, L v x == sub_canon t tok F p live v x].
Proof.
move=> Le; have [Lx Lz] := Le; have [_ _ Lc Lo] := Lx.
rewrite length_strict (bigID ended) /= big1 => [|v]; last exact: ended_strict.
rewrite add0r; have leS : \sum_(v | ~~ ended v) strict t L v <= \sum_(v | ~~ ended v) F v
    ?= iff [forall (v | ~~ ended v), strict t L v == F v].
  by apply: leif_sum => v _; split=> //; apply: strict_le.
split; first by case: leS.
have -> : (\sum_(v | ~~ ended v) strict t L v == \sum_(v | ~~ ended v) F v)
        = [forall (v | ~~ ended v), strict t L v == F v] by case: leS.
apply/forallP/forallP => [eqF v|eqL v]; last first.
  apply/implyP => nv; apply/eqP; have := sub_strict siblings F_par p_sum live_rooted v.
  rewrite inE nv => <-; apply: eq_bigr => w _; apply: eq_bigr => x _.
  by apply/eqP; apply: (forallP (eqL w)).
have full w : ~~ ended w -> strict t L w = F w by move=> nw; apply/eqP/(implyP (eqF w)).
apply/forallP => x; apply/eqP; case ev: (ended v).
  by rewrite Lz // /sub_canon inE ev.
have [/existsP[c /and3P[cn /eqP cv /eqP cx]]|o] := boolP (onT t tok v x); last first.
  rewrite Lo // full ?ev // /sub_canon inE ev /= mulrC; case: existsP => // -[c /andP[e _]].
  by case/existsP: o; exists c.
rewrite -cv -cx -/(at_node t tok L c) -/(at_node t tok (sub_canon t tok F p live) c).
have fp : strict t L (par t c) = F (par t c) by rewrite full // cv ev.
rewrite sub_node // !inE cv ev negbK /=; move: (Lc c cn); rewrite fp mulrC -F_par //.
case: ifPn => [ec|nc]; first by rewrite ended_strict // add0r.
by rewrite (full c) // => /eqP; rewrite -subr_eq0 addrAC subrr add0r => /eqP.
Qed.

(* "That law is exact, stops at end tokens, and attains the ceiling." *)
Theorem eos_attained : exact_eos (sub_canon t tok F p live) /\
  mean_length t (sub_canon t tok F p live) = \sum_(v | ~~ ended v) F v.
Proof.
have ex : exact_eos (sub_canon t tok F p live).
  split; last by move=> v x ev; rewrite /sub_canon inE ev.
  exact: sub_exact live_rooted.
split=> //; apply/eqP; rewrite (eq_leif (eos_ceiling ex)).
by apply/forallP => v; apply/forallP => x.
Qed.
End EndToken.
