small:
  greeting: hello
  users: [ann, bob]
