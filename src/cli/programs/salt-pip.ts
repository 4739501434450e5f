// The command line of salt-pip, which leaves all options to pip.
import type { Program } from '../optparse/option.ts'

export const SALT_PIP: Program = {
  name: 'salt-pip',
  usage: '<command> [options]',
  description: `Runs the pip of the Python that runs modules (option python_executable of the minion, or of the master where there is no
minion), such as: salt-pip install saltext.vault`,
  options: [],
  groups: [],
}
