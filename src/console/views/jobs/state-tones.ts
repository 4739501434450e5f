/** The tones of the states of jobs. */
export const STATE_TONES = { running: 'info', done: 'ok', failed: 'failed' } as const
