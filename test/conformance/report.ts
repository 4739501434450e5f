// The options of a run of an area, and its report.

export interface RunOptions {
  cases?: string | undefined
  filter?: string | undefined
  /** Checkouts of formulas. */
  trees?: string | undefined
  /** Let real Salt answer, from the checkout that SALT_TREE names; for scenarios only. */
  salt?: boolean | undefined
  /** Play each n-th case only; for areas that play programs, which take minutes. */
  every?: number | undefined
}

export interface Failure {
  name: string
  problem: string
}

export interface AreaReport {
  passed: number
  failures: Failure[]
  /** Name → reason, for the cases that differ as declared. */
  known: Map<string, string>
  /** Name → reason, for the cases that this user cannot run. */
  skipped: Map<string, string>
}

/** The request itself cannot be served: no such area, or no cases for it. */
export class RequestError extends Error {}
