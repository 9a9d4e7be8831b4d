plot x
