// Options that gitfs, git_pillar and winrepo declare alike.

export const GIT_REFSPECS = {
  type: 'list',
  both: ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'],
  doc: 'Refspecs that are fetched',
} as const

export const GIT_PROVIDER = {
  type: 'str',
  for: ['minion', 'master'],
  doc: 'Library of Salt for Git: pygit2, gitpython or gitcli. Git itself is used in any case; remotes of gitpython take no login',
} as const
