// Whether a daemon works: `/healthz` says whether it lives, `/readyz` whether it can do its work. Answers go to strangers, so a reason
// is a fixed word; the log has the details.

/** Return undefined if all is well, or the word that names the fault. */
export type HealthCheck = () => string | undefined

export interface HealthAnswer {
  status: 200 | 503
  body: string
}

export class Health {
  private readonly alive: HealthCheck[] = []
  private readonly ready: HealthCheck[] = []

  /** Add a check without which the daemon is broken. */
  lives(check: HealthCheck): void {
    this.alive.push(check)
  }

  /** Add a check without which the daemon cannot do its work now. */
  works(check: HealthCheck): void {
    this.ready.push(check)
  }

  /** Return the answer to a path, or undefined for other paths. */
  answer(path: string): HealthAnswer | undefined {
    if (path === '/healthz') return answerOf(this.alive)
    return path === '/readyz' ? answerOf([...this.alive, ...this.ready]) : undefined
  }
}

function answerOf(checks: readonly HealthCheck[]): HealthAnswer {
  const reasons = checks.flatMap((check) => check() ?? [])
  return reasons.length === 0
    ? { status: 200, body: '{"status":"ok"}\n' }
    : { status: 503, body: `${JSON.stringify({ status: 'failing', reasons })}\n` }
}
