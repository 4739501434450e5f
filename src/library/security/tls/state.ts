// State of certificates that are valid, now and for some time.
import { type Dict, numberOf, PyTimedelta, str } from '../../../data/mod.ts'
import { arg, defineState, isHostError, reportOn, type StateContext, state } from '../../../sdk/mod.ts'

const UNITS = { weeks: 604_800, days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const
type Unit = keyof typeof UNITS

const span = (seconds: number): PyTimedelta => new PyTimedelta(BigInt(Math.round(seconds * 1e6)))

async function factsOf(ctx: StateContext, name: string): Promise<Dict | string> {
  try {
    return await ctx.call('tls.cert_info', [name])
  } catch (error) {
    if (isHostError(error)) return error.message
    throw error
  }
}

const amount = (unit: Unit) => arg.number(`Minimum remaining validity: ${unit}`, { default: 0 })

export default defineState({
  name: 'tls',
  doc: 'Check certificates.',
  when: async ({ host }) => (await host.which('openssl')) !== undefined || 'tls module could not be loaded',
  functions: {
    valid_certificate: state({
      doc: 'Ensure that a certificate is valid, and remains so for some time.',
      args: {
        name: arg.text('Path of the certificate'),
        weeks: amount('weeks'),
        days: amount('days'),
        hours: amount('hours'),
        minutes: amount('minutes'),
        seconds: amount('seconds'),
      },
      run: async (ctx, { name, ...times }) => {
        const ret = reportOn(name)
        const facts = await factsOf(ctx, name)
        if (typeof facts === 'string') return ret(false, facts)
        const now = Date.now() / 1000
        const end = Number(numberOf(facts.get('not_after')!))
        if (now < Number(numberOf(facts.get('not_before')!))) return ret(false, 'Certificate is not yet valid')
        if (now > end) return ret(false, 'Certificate is expired')
        const units = Object.entries(UNITS) as Array<[Unit, number]>
        const least = units.reduce((sum, [unit, seconds]) => sum + seconds * Number(numberOf(times[unit])), 0)
        const left = span(end - now)
        if (end - now >= least) return ret(true, `Certificate is valid for ${str(left)}`)
        return ret(false, `Certificate will expire in ${str(left)}, which is less than ${str(span(least))}`)
      },
    }),
  },
})
