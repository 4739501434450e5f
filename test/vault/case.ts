// One request to Vault, and its answer.
export interface Case {
  name: string
  /** The token: `root`, none, or the name of one that was kept. */
  as?: string
  request: string
  body?: unknown
  wrap?: string
  /** Several where servers of different age differ. */
  status: number | number[]
  /** Parts of the answer; a text with slashes around it is a pattern. */
  answer?: unknown
  /** The stored parts of the answer, by path. */
  keep?: Record<string, string>
}
