(* Sequential residual rejection (one-hot proposals tried one after another). *)
From mathcomp Require Import all_ssreflect ssralg ssrnum.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Rejection.
Variables (R : realFieldType) (X : eqType) (p : X -> R).

(* [tried m r s]: m = probability of being here, r = mass not yet rejected,
   s = the proposals still to try, in order.  Proposal x is accepted with
   probability p x / r (0 when r = 0: MathComp's x / 0 is 0).  Result: for each
   proposal the probability that it is the emitted one, and the probability
   that none is.                                                            *)
Fixpoint tried (m r : R) (s : seq X) : seq (X * R) * R :=
  if s is x :: s' then
    let a := p x / r in
    let: (out, rest) := tried (m * (1 - a)) (r - p x) s' in
    ((x, m * a) :: out, rest)
  else ([::], m).

Definition mass (s : seq X) : R := \sum_(x <- s) p x.

(* "Telescoping emits f * p_i and leaves f * (r - sum p), whatever the mass r
   and even when it is exhausted on the way (residual zero)."              *)
Theorem sr_telescopes f r s :
  all (fun x => 0 <= p x) s -> mass s <= r ->
  tried (f * r) r s = ([seq (x, f * p x) | x <- s], f * (r - mass s)).
Proof.
rewrite /mass; elim: s r => [|x s IH] r /=; first by rewrite big_nil subr0.
case/andP=> px ps; rewrite big_cons => le.
have s0 : 0 <= \sum_(j <- s) p j by rewrite big_seq sumr_ge0 // => j /(allP ps).
have xr : p x <= r by apply: le_trans le; rewrite ler_addl.
have acc : f * r * (p x / r) = f * p x.
  have [r0|rn] := eqVneq r 0; last by rewrite -mulrA [r * _]mulrC divfK.
  have -> : p x = 0 by apply/eqP; rewrite eq_le px andbT -r0.
  by rewrite mul0r !mulr0.
have -> : f * r * (1 - p x / r) = f * (r - p x) by rewrite mulrBr mulr1 acc -mulrBr.
by rewrite IH ?ler_subr_addl // acc opprD addrA.
Qed.

(* "The order of the proposals does not matter." *)
Theorem sr_any_order f r s s' :
  all (fun x => 0 <= p x) s -> mass s <= r -> perm_eq s s' ->
  perm_eq (tried (f * r) r s).1 (tried (f * r) r s').1
  /\ (tried (f * r) r s).2 = (tried (f * r) r s').2.
Proof.
move=> ps le e; have m : mass s = mass s' by apply: perm_big.
rewrite sr_telescopes // sr_telescopes -?m -?(perm_all _ e) //.
by split=> //=; apply: perm_map.
Qed.

(* "Then draw the bonus from the residual law q / rest: token y gets f * q y."
   No condition on rest: if it is 0 then so is q y, and nothing is emitted.  *)
Theorem sr_bonus (f rest qy : R) : 0 <= qy -> qy <= rest -> f * rest * (qy / rest) = f * qy.
Proof.
move=> q0 le; have [r0|rn] := eqVneq rest 0; last by rewrite -mulrA [rest * _]mulrC divfK.
have -> : qy = 0 by apply/eqP; rewrite eq_le q0 andbT -r0.
by rewrite mul0r !mulr0.
Qed.
End Rejection.
