// All checks in order: cheap ones first, so that an aborted report contains them.
import type { Check } from './check.ts'
import { calls } from './checks/calls.ts'
import { compileTrees } from './checks/compile.ts'
import { configuration } from './checks/configuration.ts'
import { dangers } from './checks/dangers.ts'
import { keys } from './checks/keys.ts'
import { minions } from './checks/minions.ts'
import { permissions } from './checks/permissions.ts'
import { python } from './checks/python.ts'
import { secrets } from './checks/secrets.ts'
import { sizes } from './checks/sizes.ts'
import { templates } from './checks/templates.ts'

export const CHECKS: readonly Check[] = [
  ...[configuration, dangers, permissions, keys, minions, calls, python, templates, secrets, compileTrees],
  // last, because reading files finds more that must be left out
  sizes,
]
