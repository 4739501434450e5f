// The answers of the stand-in for Vault.

export interface Answer {
  status: number
  /** The part `data`. */
  data?: unknown
  /** The part `auth`. */
  auth?: unknown
  /** Parts besides these, as old paths have them. */
  more?: Record<string, unknown>
  errors?: string[]
  /** Seconds of the lease, and its id. */
  lease?: number
  leaseId?: string
  renewable?: boolean
}

export const data = (fields: unknown): Answer => ({ status: 200, data: fields })
export const empty: Answer = { status: 204 }
export const refusal = (status: number, ...errors: string[]): Answer => ({ status, errors })
export const DENIED: Answer = refusal(403, '1 error occurred:\n\t* permission denied\n\n')
export const NO_TOKEN: Answer = refusal(403, '2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n')
