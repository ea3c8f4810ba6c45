(* What an exact but non-canonical verifier loses. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From TEV Require Import tree exitlaw.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Part 1: the parametrisation by stop rates s (written d in the theory note). *)
Section Stopping.
Variables (R : realFieldType) (V : finType) (t : tree V) (F s : V -> R).
Hypothesis F_root : F (root t) = 1.

Definition beta u := F u * s u.                       (* P(block = node u) *)
Definition alive w := 1 - \sum_(b | (b != root t) && anc t b w) s b.      (* a_+ *)
(* Blocks that leave the tree at w: mass exit_mass w * alive w, length depth w + 1. *)
Definition stopped_mass :=
  \sum_(u | u != root t) beta u + \sum_w alive w * exit_mass t F w.
Definition stopped_length :=
  \sum_(u | u != root t) (depth t u)%:R * beta u
  + \sum_w (depth t w).+1%:R * (alive w * exit_mass t F w).
(* The flow of the subtree of u: F u * (1 + Cov(T_u)). *)
Definition subflow u := \sum_(w | anc t u w) F w.

Lemma alive_root : alive (root t) = 1.
Proof.
rewrite /alive big_pred0 ?subr0 // => b.
by rewrite anc_root andNb.
Qed.

Lemma alive_par c : c != root t -> alive c = alive (par t c) - s c.
Proof.
move=> cn; rewrite /alive [X in 1 - X](bigD1 c) /= ?anc_refl ?cn // opprD addrA addrAC.
congr (_ - _ - _); apply: eq_bigl => b; rewrite (anc_par _ cn) -andbA; congr (_ && _).
have [->|_] := eqVneq b c; rewrite ?andbT //=.
by rewrite anc_self_par.
Qed.

(* Summation by parts over the tree. *)
Lemma by_parts (g : V -> R) :
  \sum_w g w * exit_mass t F w
  = g (root t) + \sum_(c | c != root t) (g c - g (par t c)) * F c.
Proof.
under eq_bigr do rewrite mulrBr big_distrr /=.
under [X in X = _]eq_bigr => v _.
  rewrite (eq_bigr (fun c => g (par t c) * F c)); last by move=> c /andP[_ /eqP ->].
  over.
rewrite sumrB (sum_children t predT (fun c => g (par t c) * F c)).
rewrite (bigD1 (root t)) //= F_root mulr1 -addrA; congr (_ + _).
rewrite [X in _ - X](eq_bigl (fun c => c != root t)) => [|c]; last by rewrite andbT.
by rewrite -sumrB; apply: eq_bigr => c _; rewrite mulrBl.
Qed.

(* "Boundary values are determined; the total mass is 1." *)
Theorem stopped_sum1 : stopped_mass = 1.
Proof.
rewrite /stopped_mass by_parts alive_root addrCA -big_split /= big1 ?addr0 // => c cn.
by rewrite (alive_par cn) /beta addrAC subrr add0r mulrC mulNr subrr.
Qed.

(* "The mean length is the sum of F w * a_+ w over the nodes." *)
Theorem stopped_length_alive : stopped_length = \sum_w F w * alive w.
Proof.
rewrite /stopped_length; under [X in _ + X]eq_bigr do rewrite mulrA.
rewrite (by_parts (fun w => (depth t w).+1%:R * alive w)) depth_root mul1r alive_root.
rewrite addrCA -big_split /= [RHS](bigD1 (root t)) //= F_root alive_root mulr1; congr (_ + _).
apply: eq_bigr => c cn; rewrite (alive_par cn) (depth_par cn) /beta.
set a := alive _; set n := (depth t _).+1; rewrite [n.+1%:R]mulrSr mulrDl mul1r.
rewrite [n%:R * (a - _)]mulrBr [X in _ + X * _]addrAC [_ - _ - _]addrAC subrr add0r addrC.
by rewrite [- _ + _]addrC mulrBl [F c * s c]mulrC mulrA subrK mulrC.
Qed.

(* Double counting: "loss = sum_w F w (1 - a_+ w) = sum_u d u sum_(w below u) F w". *)
Theorem regret_double_count :
  \sum_w F w * (1 - alive w) = \sum_(u | u != root t) s u * subflow u.
Proof.
under eq_bigr do rewrite /alive opprB addrCA subrr addr0 big_distrr /= big_mkcondr /=.
rewrite exchange_big /=; apply: eq_bigr => u _.
rewrite /subflow big_distrr /= [RHS]big_mkcond /=; apply: eq_bigr => w _.
by case: ifP => // _; rewrite mulrC.
Qed.

(* "Regret identity": 1 + coverage - mean length, in terms of the stop rates. *)
Theorem regret_rates :
  1 + coverage t F - stopped_length = \sum_(u | u != root t) s u * subflow u.
Proof.
rewrite stopped_length_alive -regret_double_count.
have -> : 1 + coverage t F = \sum_w F w by rewrite [RHS](bigD1 (root t)) //= F_root.
by rewrite -sumrB; apply: eq_bigr => w _; rewrite mulrBr mulr1.
Qed.

(* The same with beta: node u emitted with probability beta u costs
   beta u * (1 + Cov(T_u)), Cov(T_u) taken with the target conditioned on u.   *)
Definition sub_coverage u := \sum_(w | anc t u w && (w != u)) F w / F u.

Theorem regret_identity : (forall u w, anc t u w -> F u = 0 -> F w = 0) ->
  1 + coverage t F - stopped_length
  = \sum_(u | u != root t) beta u * (1 + sub_coverage u).
Proof.
move=> F0; rewrite regret_rates; apply: eq_bigr => u _; rewrite /beta.
have [z|n] := eqVneq (F u) 0.
  by rewrite z !mul0r /subflow big1 ?mulr0 // => w /F0 ->.
rewrite mulrAC [RHS]mulrC; congr (_ * _); rewrite /subflow (bigD1 u) ?anc_refl //=.
by rewrite mulrDr mulr1 /sub_coverage big_distrr /=; congr (_ + _);
  apply: eq_bigr => w _; rewrite mulrCA divff // mulr1.
Qed.
End Stopping.
