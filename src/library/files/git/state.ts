// Checkouts of git repositories, and settings of git.
import { defineState, state } from '../../../sdk/mod.ts'
import { clonedArgs, configSetArgs, configUnsetArgs, detachedArgs, latestArgs, presentArgs } from './state/arguments.ts'
import { cloned } from './state/cloned.ts'
import { detached } from './state/detached.ts'
import { latest } from './state/latest.ts'
import { present } from './state/present.ts'
import { configSet, configUnset } from './state/settings.ts'

export default defineState({
  name: 'git',
  doc: 'Manage checkouts of git repositories, and settings of git.',
  functions: {
    latest: state({
      doc: 'Ensure that a checkout is at the newest commit of a revision of its remote.',
      args: latestArgs,
      run: latest,
    }),
    present: state({ doc: 'Ensure that a repository exists.', args: presentArgs, run: present }),
    detached: state({
      doc: 'Ensure that a revision is checked out without a branch.',
      args: detachedArgs,
      run: detached,
    }),
    cloned: state({
      doc: 'Ensure that a repository is cloned. An existing clone is not updated.',
      args: clonedArgs,
      run: cloned,
    }),
    config_unset: state({ doc: 'Ensure that a setting is not set.', args: configUnsetArgs, run: configUnset }),
    config_set: state({ doc: 'Ensure that a setting has a value, or several.', args: configSetArgs, run: configSet }),
  },
})
