#!yaml|gpg

database:
  password: |
    -----BEGIN PGP MESSAGE-----
    
    hQEMA1234567890ABCDEFGH...
    -----END PGP MESSAGE-----

api_keys:
  stripe: |
    -----BEGIN PGP MESSAGE-----
    
    hQEMA0987654321ABCDEFGH...
    -----END PGP MESSAGE-----
