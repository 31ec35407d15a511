/* { dg-do compile } */
int answer = 42;
