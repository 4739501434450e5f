// `salt-cloud -b HOST [ID] [key=value …]`: a minion on a machine that exists, by a provider that no file has to name.
import type { CloudProvider } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { UsageError } from '../optparse/exit.ts'
import type { CloudOptions } from './cloud-options.ts'
import { keywordsIn } from './keywords.ts'

const ALIAS = 'salt-cloud-bootstrap'

export interface BootstrapArguments {
  provider: string
  id: string
  settings: Dict
}

export function bootstrapRequest(options: CloudOptions): BootstrapArguments {
  const host = options.text('bootstrap')!
  const { names, kwargs } = keywordsIn(options.args)
  if (names.length > 1)
    throw new UsageError(
      `Any arguments passed to --bootstrap need to be passed as kwargs. Ex: ssh_username=larry. Remaining arguments: ${names.slice(1).join(' ')}`,
    )
  return { provider: ALIAS, id: names[0] ?? host, settings: new Map([['ssh_host', host], ...kwargs]) }
}

export const bootstrapProvider = ({ provider }: BootstrapArguments): CloudProvider => ({
  ...{ alias: provider, driver: 'saltify', settings: new Map() },
  at: { file: 'the command line', line: 1 },
})
