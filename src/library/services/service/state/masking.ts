// States of masked services, which cannot be started.
import { truthy } from '../../../../data/mod.ts'
import { reportOn, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import { complaint, type Provider } from './provider.ts'

interface Wording {
  /** Whether the service is masked afterwards. */
  wanted: boolean
  already: string
  done: string
  failed: string
  fun: 'mask' | 'unmask'
}

const MASKED: Wording = { wanted: true, already: 'is already masked', done: 'masked', failed: 'mask', fun: 'mask' }
const UNMASKED: Wording = {
  wanted: false,
  already: 'was already unmasked',
  done: 'unmasked',
  failed: 'unmask',
  fun: 'unmask',
}

type Masking = (ctx: StateContext, service: Provider, name: string, runtime: boolean) => Promise<StateReturn>

function masking({ wanted, already, done, failed, fun }: Wording): Masking {
  return async (ctx, service, name, runtime) => {
    const ret = reportOn(name)
    if (!service.has('masked')) return ret(false, 'Service masking not available on this minion')
    const now = runtime ? 'runtime ' : ''
    const changes = { [`${now}masked`]: { old: !wanted, new: wanted } }
    const isDone = async () => truthy(await service.call('masked', [name, runtime])) === wanted
    try {
      if (await isDone()) return ret(true, `Service ${name} ${already.replace(done, now + done)}`)
      if (ctx.test) return ret(null, `Service ${name} would be ${now}${done}`, changes)
      await service.call(fun, [name, runtime])
      if (await isDone()) return ret(true, `Service ${name} was ${now}${done}`, changes)
      return ret(true, `Failed to ${failed} service ${name}`)
    } catch (error) {
      return ret(false, complaint(error))
    }
  }
}

export const masked = masking(MASKED)
export const unmasked = masking(UNMASKED)
