salt-run state.event pretty=True
salt-cloud -p centos7-prod jmtest1
salt-cloud -d jmtest1
host jmtest1.mydomain.com
